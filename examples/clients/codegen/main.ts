import { execute } from './execute.ts';
import { type FragmentType, graphql, useFragment as readFragment } from './gql/index.ts';

const CARD = graphql(`
  fragment Card on Product {
    name
    price {
      amount
      currencyCode
    }
  }
`);

const SHELF = graphql(`
  query Shelf($id: Int!) {
    category(id: $id) {
      name
      products(orderBy: PRICE_ASC, limit: 2) {
        ...Card
      }
    }
  }
`);

const card = (product: FragmentType<typeof CARD>): string => {
  const { name, price } = readFragment(CARD, product);
  return `${name}: ${price.amount} ${price.currencyCode}`;
};

const { category } = await execute(SHELF, { id: 6 });
console.log(category?.name, category?.products.map(card));
