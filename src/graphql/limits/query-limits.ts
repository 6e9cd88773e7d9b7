import { AppError } from '../../errors.ts';

/** How much one operation may ask for, as the operator sets it. */
export interface QueryLimits {
  /** Tokens of a document. */
  readonly maxTokens: number;
  /** Fields within fields, fragments written out. */
  readonly maxDepth: number;
  /** Fields that a document selects in all, aliases and repeats included, fragments written out. */
  readonly maxFields: number;
  /** Rows that an operation may ask for, roughly: see cost-plan.ts. */
  readonly maxCost: number;
}

/** Reading is linear in the characters, comments and blanks included, and so is finding the line of an error. */
export const CHARS_PER_TOKEN = 16;

/** Each level of fields may be wrapped once more: in an inline fragment, or in arguments. */
export const NESTING_PER_DEPTH = 2;

/** Validation compares fragments pair by pair. */
export const MAX_FRAGMENTS = 50;

/** Of selections that merge into one field: one that is repeated a hundred times makes 4,950. */
export const MAX_PAIRS = 5000;

/** Nobody reads more, and each costs a walk through the text to find its line. */
export const MAX_VALIDATION_ERRORS = 10;

interface Excess {
  /** The limit as the operator or the README calls it. */
  readonly limit: string;
  readonly maximum: number;
  readonly actual: number;
  /** The path of the field that weighs most. */
  readonly field?: string;
}

/** @param message a sentence that says all of what `excess` says to programs */
export const tooComplex = (message: string, excess: Excess): AppError =>
  new AppError('QUERY_TOO_COMPLEX', message, { details: { ...excess } });

/** `1,234,567` */
export const readable = (count: number): string =>
  count < Number.MAX_SAFE_INTEGER ? count.toLocaleString('en-US') : 'more than 2^53';
