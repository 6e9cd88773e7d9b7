import { readFile } from 'node:fs/promises';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { ServerError } from '@apollo/client/errors';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { RetryLink } from '@apollo/client/link/retry';
import { generatePersistedQueryIdsFromManifest } from '@apollo/persisted-query-lists';

const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

const ids = generatePersistedQueryIdsFromManifest({
  loadManifest: async () => JSON.parse(await readFile('persisted-query-manifest.json', 'utf8')),
});

const retryLink = new RetryLink({
  attempts: (count, _operation, error) =>
    count < 5 && (!ServerError.is(error) || [429, 502, 503, 504].includes(error.statusCode)),
  delay: (count, _operation, error) =>
    1000 * (ServerError.is(error) ? Number(error.response.headers.get('retry-after')) || count : count),
});

const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.from([
    retryLink,
    new PersistedQueryLink({ ...ids, useGETForHashedQueries: true }),
    // In `application/graphql-response+json` a 503 would be a result like any other, and not tried again.
    new HttpLink({ uri: `${VITRINE_URL}/graphql`, headers: { accept: 'application/json' } }),
  ]),
});

interface Shelf {
  readonly category: {
    readonly name: string;
    readonly products: readonly {
      readonly name: string;
      readonly price: Readonly<Record<'amount' | 'currencyCode', string>>;
    }[];
  } | null;
}

const SHELF: TypedDocumentNode<Shelf, { id: number }> = gql`
  query Shelf($id: Int!) {
    category(id: $id) {
      name
      products(orderBy: PRICE_ASC, limit: 2) {
        name
        price {
          amount
          currencyCode
        }
      }
    }
  }
`;

const { data } = await client.query({ query: SHELF, variables: { id: 6 } });
console.log(
  data?.category?.name,
  data?.category?.products.map(({ name, price }) => `${name}: ${price.amount} ${price.currencyCode}`),
);
