import type { JsonSchema } from './openapi-schema.ts';

const header = (description: string, example: string): JsonSchema => ({
  description,
  schema: { type: 'string' },
  example,
});

const REQUEST_ID = header('Of the request, or given to it: what the log calls it.', 'NKQvsqWJ27rnbUS4-1');

const LINK = header(
  'The GraphQL operation that gave the answer, in GraphiQL where that is switched on.',
  '</graphql?operation=HotProducts&variables=%7B%22limit%22%3A3%7D>; rel="alternate"; type="text/html"; title="GraphQL HotProducts"',
);

const REVALIDATION = {
  ETag: header('Names this answer: send it back in `If-None-Match`.', 'W/"JkT5dWuuMiM5ZYqyPz8zBwpJNhE"'),
  'Cache-Control': header('How long a copy may be used without asking.', 'public, max-age=1'),
  'Cache-Status': header('Where the answer came from: RFC 9211.', 'vitrine; hit'),
};

/** The headers of an answer. @param isCounted the answer belongs to its request alone */
export const answerHeaders = ({ isCounted }: { readonly isCounted: boolean }): JsonSchema => ({
  ...(isCounted ? { 'Cache-Control': header('No copy is kept.', 'no-store') } : REVALIDATION),
  Link: LINK,
  'X-Request-Id': REQUEST_ID,
});

export const NOT_MODIFIED: JsonSchema = {
  description: 'The answer is still the one that `If-None-Match` names.',
  headers: { ...REVALIDATION, Link: LINK, 'X-Request-Id': REQUEST_ID },
};
