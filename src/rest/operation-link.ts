/** The `Link` header of an answer: opens GraphiQL on the operation that gave it, with the variables that it had. */
export type OperationLink = (variables: Readonly<Record<string, unknown>>) => string;

/** Proxies refuse an answer whose headers are past 4 or 8 kB. */
const MAX_VARIABLES_CHARS = 1024;

const NO_VARIABLES = encodeURIComponent('{}');

/**
 * https://www.rfc-editor.org/rfc/rfc8288. Named and not spelled out: the header is on every answer, and a document may be long.
 *
 * @param explorer path of GraphiQL, which knows the documents by name
 * @param id a GraphQL name, or the name of a document
 */
export const createOperationLink = (explorer: string, id: string): OperationLink => {
  const start = `<${explorer}?operation=${id}`;
  const end = `>; rel="alternate"; type="text/html"; title="GraphQL ${id}"`;
  const plain = start + end;
  return (variables) => {
    const encoded = encodeURIComponent(JSON.stringify(variables));
    return encoded === NO_VARIABLES || encoded.length > MAX_VARIABLES_CHARS
      ? plain
      : `${start}&variables=${encoded}${end}`;
  };
};
