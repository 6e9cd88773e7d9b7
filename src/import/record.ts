/** A number that a JSON file has as a number, by its digits there, because a float would change some of them. */
export class JsonNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): string {
    return this.digits;
  }
}

/** A value of a source file. */
export type Value = string | boolean | null | JsonNumber | Value[] | { readonly [key: string]: Value };

/** Parses JSON with each number as its source text. @throws SyntaxError */
export const parseJson = (text: string): Value => JSON.parse(text, keepDigits);

// Source text access: https://tc39.es/proposal-json-parse-with-source/
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? new JsonNumber(context?.source ?? String(value)) : value;

/** Where a record begins. */
export interface Place {
  /** From 1. */
  readonly line: number;
  /** The number of the record, from 1, in a file that has several on one line. */
  readonly record?: number | undefined;
}

/** @param record null as PostgreSQL returns it */
export const placeOf = (row: { readonly line: number; readonly record?: number | null | undefined }): Place => ({
  line: row.line,
  record: row.record ?? undefined,
});

/** One record of a file, with its fields under the names that the file uses. */
export interface SourceRecord extends Place {
  readonly fields: Readonly<Record<string, Value>>;
  /** Why the record cannot be read; `fields` then holds only the fields before the error. */
  readonly fault?: Pick<Fault, 'value' | 'reason'>;
}

/** Why a row, or a part of a file that is no row, is rejected. */
export interface Fault extends Place {
  /** The file's name for the column; absent if the fault concerns no single column. */
  readonly column?: string | undefined;
  readonly value?: string | undefined;
  /** The end of a sentence that begins with the column. */
  readonly reason: string;
}

export const isObject = (value: Value | undefined): value is { readonly [key: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** A text, and a number by its digits; undefined for any other value. */
export const textIn = (value: Value | undefined): string | undefined =>
  value instanceof JsonNumber ? value.digits : typeof value === 'string' ? value : undefined;

export const isBlank = (value: Value | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const MAX_SHOWN_CHARACTERS = 200;

/** The value as text for a message. */
export const showValue = (value: Value | undefined): string => {
  const text = textIn(value) ?? (value === undefined ? '' : JSON.stringify(value));
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
};
