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

/** One record of a file, whole or broken, with the fields as the file names them. */
export interface SourceRecord {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, Value>>;
  /** Why the record cannot be taken; `fields` are then those that could be read for certain. */
  readonly fault?: Fault;
  /** The file ends in it without a line end: its last field may be cut. */
  readonly isUnterminated?: true;
}

/** As one line of text, for people. */
export const showValue = (value: Value): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const MAX_SHOWN = 200;

/** Reads JSON with each number as the text that stands there. @throws SyntaxError */
export const parseJson = (text: string): Value => JSON.parse(text, keepDigits);

// Source text access: https://tc39.es/proposal-json-parse-with-source/
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value;

export const isObject = (value: Value | undefined): value is { readonly [key: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the engine says is wrong, without the text that it quotes, which can be long. */
export const syntaxReason = (error: unknown): string =>
  `is not valid JSON: ${error instanceof Error ? error.message.replace(/, ?(?:\.\.\.)?".*" is not valid JSON$/s, '') : error}`;
