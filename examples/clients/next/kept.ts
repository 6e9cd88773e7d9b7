/**
 * Asks for what Next.js keeps until one of the tags is revalidated: `product-17` of a page of that product, `products` of a list of products, `categories` where
 * categories are shown, `notices`.
 */
export const askKept = async <Data>(query: string, variables: object, tags: readonly string[]): Promise<Data> => {
  const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(`${process.env.VITRINE_URL ?? 'http://localhost:4000'}/graphql?${parameters}`, {
    // With this type an operation that fails has no status 200, and is not kept.
    headers: { accept: 'application/graphql-response+json' },
    cache: 'force-cache',
    // Next.js' own option.
    next: { tags: ['vitrine', ...tags] },
  } as RequestInit);
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
};
