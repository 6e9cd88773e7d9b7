const MAX_WAIT_MS = 1;

export type TurnBatch<Item> = ReturnType<typeof createTurnBatch<Item>>;

/**
 * Handles items at the end of the turn of the event loop in which they come, or as soon as the first has waited for a millisecond. Responses
 * are made one right after another, because the caches of the processor then hold what making them needs. Sockets are written together,
 * because their readers fall asleep between two writes that are apart, and to wake one costs more than the write (docs/fast-path.md).
 * @param handle must not throw
 * @param end of all that waited
 */
export const createTurnBatch = <Item>(handle: (item: Item) => void, end?: () => void) => {
  let items: Item[] = [];
  let firstMs = 0;
  let scheduled: NodeJS.Immediate | undefined;

  const flush = (): void => {
    clearImmediate(scheduled);
    const waiting = items;
    items = [];
    for (const item of waiting) handle(item);
    end?.();
  };

  return {
    add: (item: Item): void => {
      const nowMs = performance.now();
      if (items.push(item) === 1) {
        firstMs = nowMs;
        scheduled = setImmediate(flush);
      } else if (nowMs - firstMs > MAX_WAIT_MS) flush();
    },
    /** Handles those that wait now. */
    flush,
  };
};
