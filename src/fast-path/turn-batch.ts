/** What is done at once for all items of a turn of the event loop. */
export interface TurnBatch<Item> {
  readonly add: (item: Item) => void;
  /** Does it now, for those that wait. */
  readonly flush: () => void;
}

const MAX_WAIT_MS = 1;

/**
 * Handles items at the end of the turn of the event loop in which they come, or as soon as the first has waited for a millisecond. For what is written into
 * sockets: their readers fall asleep between two writes that are apart, and to wake one costs more than the write (docs/fast-path.md).
 * @param handle must not throw
 */
export const createTurnBatch = <Item>(handle: (item: Item) => void): TurnBatch<Item> => {
  let items: Item[] = [];
  let firstMs = 0;
  let isScheduled = false;

  const flush = (): void => {
    const waiting = items;
    items = [];
    for (const item of waiting) handle(item);
  };

  const endTurn = (): void => {
    isScheduled = false;
    flush();
  };

  return {
    add: (item) => {
      const nowMs = performance.now();
      if (items.push(item) === 1) firstMs = nowMs;
      else if (nowMs - firstMs > MAX_WAIT_MS) flush();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(endTurn);
    },
    flush,
  };
};
