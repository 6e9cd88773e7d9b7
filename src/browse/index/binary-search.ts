/** How many of so many sorted things come before a place: those for which this is true, all others stand behind them. */
export const countBefore = (length: number, isBefore: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};
