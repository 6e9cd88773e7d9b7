import { type DocumentNode, parse, type Source } from 'graphql';
import { checkShape } from './check-shape.ts';
import { checkText } from './check-text.ts';
import type { QueryLimits } from './query-limits.ts';

/**
 * Parses a document that is small enough to go on with.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for a syntax error
 */
export const parseWithin = (limits: QueryLimits, source: string | Source): DocumentNode => {
  checkText(typeof source === 'string' ? source : source.body, limits);
  const document = parse(source);
  checkShape(document, limits);
  return document;
};
