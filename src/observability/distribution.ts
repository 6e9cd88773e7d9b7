/** How often values fell into which range, as plain numbers: to add one is two increments, and those of several processes can be added up. */
export class Distribution {
  /** Upper bounds, included, in rising order; what is above the last is counted too. */
  readonly bounds: readonly number[];
  /** One more than bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    counts[index] = (counts[index] as number) + 1;
    this.sum += value;
  }
}
