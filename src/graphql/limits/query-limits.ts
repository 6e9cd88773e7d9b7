import { Lexer, Source, TokenKind } from 'graphql';
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
const CHARS_PER_TOKEN = 16;

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

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Looks through a document before anything recursive does: the parser and the validator go as deep as the text, and deep enough text
 * overflows their stack.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for what is no token
 */
export const checkText = (text: string, { maxTokens, maxDepth }: QueryLimits): void => {
  const maxChars = maxTokens * CHARS_PER_TOKEN;
  if (text.length > maxChars) {
    throw tooComplex(
      `The document has ${readable(text.length)} characters, and may have ${readable(maxChars)} (${CHARS_PER_TOKEN} for each of QUERY_MAX_TOKENS).`,
      { limit: 'characters', maximum: maxChars, actual: text.length },
    );
  }
  const { tokens, nesting } = measure(text);
  if (tokens > maxTokens) {
    throw tooComplex(
      `The document has ${readable(tokens)} tokens, and may have ${readable(maxTokens)} (QUERY_MAX_TOKENS).`,
      { limit: 'QUERY_MAX_TOKENS', maximum: maxTokens, actual: tokens },
    );
  }
  const maxNesting = maxDepth * NESTING_PER_DEPTH;
  if (nesting > maxNesting) {
    throw tooComplex(
      `The document nests braces, brackets and parentheses ${readable(nesting)} deep, and may ${maxNesting} (twice QUERY_MAX_DEPTH).`,
      { limit: 'nesting', maximum: maxNesting, actual: nesting },
    );
  }
};

const measure = (text: string): { tokens: number; nesting: number } => {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  let open = 0;
  let nesting = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1;
    if (OPENING.has(kind)) {
      open += 1;
      if (open > nesting) nesting = open;
    } else if (CLOSING.has(kind)) open -= 1;
  }
  return { tokens, nesting };
};
