import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';

const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

const client = new Client({
  url: `${VITRINE_URL}/graphql`,
  preferGetMethod: true,
  exchanges: [persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange],
});

const CARD = graphql(`
  fragment Card on Product {
    name
    price {
      amount
      currencyCode
    }
  }
`);

const SHELF = graphql(
  `
    query Shelf($id: Int!, $language: String) @inContext(language: $language) {
      category(id: $id) {
        name
        products(orderBy: PRICE_ASC, limit: 2) {
          ...Card
        }
      }
    }
  `,
  [CARD],
);

const card = (product: FragmentOf<typeof CARD>): string => {
  const { name, price } = readFragment(CARD, product);
  return `${name}: ${price.amount} ${price.currencyCode}`;
};

for (const language of ['en', 'de']) {
  const { data, error } = await client.query(SHELF, { id: 6, language });
  if (error) throw error;
  console.log(data?.category?.name, data?.category?.products.map(card));
}
