/** Lets so many work side by side; the others wait for their turn, first come, first served. */
export interface Places {
  /** Undefined where there is a place now. */
  readonly take: () => Promise<void> | undefined;
  /** Gives a place to the next. */
  readonly free: () => void;
}

export const createPlaces = (count: number): Places => {
  let taken = 0;
  let waiting: (() => void)[] = [];
  /** How many of those are served. They are taken out many at once: to take the first out moves all the others. */
  let served = 0;

  return {
    take: () => {
      if (taken < count) {
        taken += 1;
        return undefined;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    free: () => {
      const next = waiting[served];
      if (!next) {
        taken -= 1;
        waiting = [];
        served = 0;
        return;
      }
      served += 1;
      if (served === 1024) {
        waiting = waiting.slice(served);
        served = 0;
      }
      next();
    },
  };
};
