import type { TypedDocumentString } from './gql/graphql.ts';

const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

/** Asks by the id of the document, and by GET: browsers and CDNs may keep the answer. */
export const execute = async <Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> => {
  const params = new URLSearchParams({
    documentId: String(document.__meta__?.hash),
    variables: JSON.stringify(variables),
  });
  const response = await fetch(`${VITRINE_URL}/graphql?${params}`);
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
};
