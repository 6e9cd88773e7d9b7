import type { Run, Writer } from './compile.ts';

/** A place left open for a value that is on its way. */
interface Hole {
  readonly value: Promise<unknown>;
  readonly write: Writer;
}

/** JSON text that is being written, with places left open for values that are still on their way. */
export class Output {
  text = '';
  private pieces: (string | Hole)[] | undefined;

  /** Leaves a place for a value; what is written next comes after it. */
  await(value: Promise<unknown>, write: Writer): void {
    this.pieces ??= [];
    this.pieces.push(this.text, { value, write });
    this.text = '';
  }

  /** Nobody will wait for what is still on its way, and nobody is to be told how it ends. */
  abandon(): void {
    for (const piece of this.pieces ?? []) if (typeof piece !== 'string') piece.value.catch(ignore);
  }

  /** The whole text, at once where nothing was left open. */
  finish(run: Run): string | Promise<string> {
    return this.pieces === undefined ? this.text : fill(this.pieces, this.text, run);
  }
}

/** The text that is written, at once where no place was left open. @throws what writing it throws */
export const write = (run: Run, toOutput: (output: Output) => void): string | Promise<string> => {
  const output = new Output();
  try {
    toOutput(output);
  } catch (error) {
    output.abandon();
    throw error;
  }
  return output.finish(run);
};

/**
 * Waits for all values of one depth, each once however many places it is for, then writes them one after another: a promise for each place costs
 * more than the writing.
 */
const fill = async (pieces: readonly (string | Hole)[], rest: string, run: Run): Promise<string> => {
  const resultOf = await settle(pieces);
  return write(run, (output) => {
    for (const piece of pieces) {
      if (typeof piece === 'string') output.text += piece;
      else piece.write(resultOf(piece), run, output);
    }
    output.text += rest;
  });
};

const settle = async (pieces: readonly (string | Hole)[]): Promise<(hole: Hole) => unknown> => {
  const promises = new Set<Promise<unknown>>();
  for (const piece of pieces) if (typeof piece !== 'string') promises.add(piece.value);
  const [first] = promises;
  if (promises.size === 1) {
    const value = await first;
    return () => value;
  }
  const values = await Promise.all(promises);
  const settled = new Map<Promise<unknown>, unknown>();
  let index = 0;
  for (const promise of promises) settled.set(promise, values[index++]);
  return ({ value }) => settled.get(value);
};

const ignore = (): void => {};
