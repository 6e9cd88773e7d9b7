/** JSON text that is being written, with places left open for values that are still on their way. */
export class Output {
  text = '';
  private pieces: (string | Promise<string>)[] | undefined;

  /** Leaves a place for a value; what is written next comes after it. */
  await(value: Promise<string>): void {
    // The whole may be given up before anyone waits for this part of it.
    value.catch(ignore);
    this.pieces ??= [];
    this.pieces.push(this.text, value);
    this.text = '';
  }

  /** The whole text, at once where nothing was left open. */
  finish(): string | Promise<string> {
    if (this.pieces === undefined) return this.text;
    this.pieces.push(this.text);
    return Promise.all(this.pieces).then(join);
  }
}

const ignore = (): void => {};

const join = (pieces: string[]): string => pieces.join('');
