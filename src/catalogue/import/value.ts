/** What a field of a source holds. Numbers keep the digits that the file has: a float would change some of them. */
export type Value = string | boolean | null | Value[] | { readonly [key: string]: Value };

/** What is wrong with one value, as the end of a sentence that begins with its column. */
export class Problem {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Why a row, or a part of a file that is none, is not taken. */
export interface Fault {
  /** Where its row begins, from 1. */
  readonly line: number;
  /** As the file names it; absent where the fault is not in one. */
  readonly column?: string | undefined;
  readonly value?: string | undefined;
  readonly reason: string;
}

/** One record of a file, with the fields as the file names them. */
export interface SourceRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, Value>>;
}

/** As one line of text, for people. */
export const showValue = (value: Value): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const MAX_SHOWN = 200;
