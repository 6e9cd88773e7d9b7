import type { TypedDocumentString } from './gql/graphql.ts';

const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

/** Of a gateway that is busy or away, or of a proxy before it: the next attempt may succeed. */
const PASSING = new Set([429, 502, 503, 504]);
const ATTEMPTS = 5;

/** Asks by the id of the document, and by GET: browsers and CDNs may keep the answer. @throws Error with the gateway's message, and its errors as `cause` */
export const execute = async <Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> => {
  const params = new URLSearchParams({
    documentId: String(document.__meta__?.hash),
    variables: JSON.stringify(variables),
  });
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${VITRINE_URL}/graphql?${params}`);
    // The 502 of a proxy is a page of HTML.
    const isJson = response.headers.get('content-type')?.includes('json');
    const text = await response.text();
    const { data, errors } = isJson ? JSON.parse(text) : { errors: [{ message: `${response.status}: ${text}` }] };
    if (!errors) return data;
    if (!PASSING.has(response.status) || attempt === ATTEMPTS) throw new Error(errors[0].message, { cause: errors });
    const waitS = Number(response.headers.get('retry-after')) || attempt;
    await new Promise((resolve) => setTimeout(resolve, waitS * 1000));
  }
};
