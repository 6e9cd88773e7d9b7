import { AppError } from '../../errors.ts';

/** How much one operation may ask for, as the operator sets it. */
export interface QueryLimits {
  /** Tokens of a document. */
  readonly maxTokens: number;
  /** Fields within fields, fragments written out. */
  readonly maxDepth: number;
  /** Fields that a document selects in all, aliases and repeats included, fragments written out. */
  readonly maxFields: number;
  /** Rows that an operation may ask for, roughly: see cost.ts. */
  readonly maxCost: number;
}

interface Excess {
  /** The limit as the operator or the README calls it. */
  readonly limit: string;
  readonly maximum: number;
  readonly actual: number;
  /** The path of the field that costs most. */
  readonly field?: string;
}

/** @param message a sentence with everything that `excess` tells programs */
export const tooComplex = (message: string, excess: Excess): AppError =>
  new AppError('QUERY_TOO_COMPLEX', message, { details: { ...excess } });

/** `1,234,567` */
export const readable = (count: number): string =>
  count < Number.MAX_SAFE_INTEGER ? count.toLocaleString('en-US') : 'more than 2^53';
