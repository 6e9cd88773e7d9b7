const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

/** For `Network.create`: Relay gives the id that its compiler has written. */
export const fetchFunction = async (params: { readonly id: string | null }, variables: object) => {
  const query = new URLSearchParams({ doc_id: String(params.id), variables: JSON.stringify(variables) });
  const response = await fetch(`${VITRINE_URL}/graphql?${query}`);
  // The 502 of a proxy is a page of HTML.
  if (!response.headers.get('content-type')?.includes('json')) throw new Error(`${response.status} of the gateway`);
  return await response.json();
};

/** For `new Environment`: ids are numbers, unique within a type; Relay by itself throws unless they are texts, unique in all. */
export const getDataID = ({ id }: { readonly id?: unknown }, type: string) => id && `${type}:${id}`;
