/** Lets so many work side by side; the others wait for their turn, first come, first served. */
export interface Places {
  /** Undefined where there is a place now. */
  readonly take: () => Promise<void> | undefined;
  /** Gives a place to the next. */
  readonly free: () => void;
}

export const createPlaces = (count: number): Places => {
  let taken = 0;
  const waiting: (() => void)[] = [];

  return {
    take: () => {
      if (taken < count) {
        taken += 1;
        return undefined;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    free: () => {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
};
