import { graphql } from 'relay-runtime';

export const shelf = graphql`
  query ShelfQuery($id: Int!) {
    category(id: $id) {
      id
      name
      products(orderBy: PRICE_ASC, limit: 2) {
        ...Shelf_card
      }
    }
  }
`;

export const card = graphql`
  fragment Shelf_card on Product {
    id
    name
    price {
      amount
      currencyCode
    }
  }
`;
