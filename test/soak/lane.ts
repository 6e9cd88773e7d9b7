/** Actions that are never under way at the same time, in the order in which they came. */
export interface Lane {
  readonly exclusively: (action: () => Promise<void>) => Promise<void>;
}

export const createLane = (): Lane => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    exclusively: (action) => {
      const done = last.then(action);
      last = done.catch(() => {});
      return done;
    },
  };
};
