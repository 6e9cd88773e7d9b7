import { readFile } from 'node:fs/promises';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { generatePersistedQueryIdsFromManifest } from '@apollo/persisted-query-lists';

const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

const ids = generatePersistedQueryIdsFromManifest({
  loadManifest: async () => JSON.parse(await readFile('persisted-query-manifest.json', 'utf8')),
});

const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.from([
    new PersistedQueryLink({ ...ids, useGETForHashedQueries: true }),
    new HttpLink({ uri: `${VITRINE_URL}/graphql` }),
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
