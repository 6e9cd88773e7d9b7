import { Lexer, Source, TokenKind } from 'graphql';
import { CHARS_PER_TOKEN, NESTING_PER_DEPTH, type QueryLimits, readable, tooComplex } from './query-limits.ts';

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
