import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly seconds: number;
  /** The same seed, the same plan. */
  readonly seed: number;
}

/** Reads the command line: `--seconds 600 --seed 1`. @throws Error that says what is wrong with it */
export const readOptions = (args: readonly string[]): SoakOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } },
  });
  return { seconds: wholeNumber('seconds', values.seconds, 20), seed: wholeNumber('seed', values.seed, 0) };
};

const wholeNumber = (name: string, text: string, min: number): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > 2 ** 31 - 1)
    throw new Error(`--${name} must be a whole number from ${min}`);
  return value;
};
