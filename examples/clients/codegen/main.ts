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
  query Shelf($id: Int!, $language: String) @inContext(language: $language) {
    category(id: $id) {
      name
      products(orderBy: PRICE_ASC, limit: 2) {
        ...Card
      }
    }
  }
`);

const CART = graphql(`
  query Cart($ids: [Int!]!) {
    variantsByIds(ids: $ids) {
      title
      inStock
      price {
        amount
        currencyCode
      }
      product {
        name
      }
    }
  }
`);

const card = (product: FragmentType<typeof CARD>): string => {
  const { name, price } = readFragment(CARD, product);
  return `${name}: ${price.amount} ${price.currencyCode}`;
};

for (const language of ['en', 'de']) {
  const { category } = await execute(SHELF, { id: 6, language });
  console.log(category?.name, category?.products.map(card));
}

// What a browser keeps of a cart: no name, and no price.
const cart = [
  { variantId: 1, quantity: 2 },
  { variantId: 999_999, quantity: 1 },
];

const { variantsByIds } = await execute(CART, { ids: cart.map(({ variantId }) => variantId) });
for (const [place, { quantity }] of cart.entries()) {
  const variant = variantsByIds[place];
  if (!variant) console.log('No longer on sale');
  else {
    const { product, title, price, inStock } = variant;
    console.log(`${quantity} × ${product.name}, ${title}: ${price.amount} ${price.currencyCode}`, inStock);
  }
}
