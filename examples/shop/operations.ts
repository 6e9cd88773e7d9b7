// Written by `npm run operations` from ../operations.graphql and the schema.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** How much it matters. */
export type NoticeLevel =
  | 'IMPORTANT'
  | 'NORMAL'
  | 'URGENT';

/** What it is about. */
export type NoticeType =
  | 'ANNOUNCEMENT'
  | 'MAINTENANCE'
  | 'PROMOTION';

/** How a list of products is sorted. */
export type ProductOrder =
  /** Most sold first, then newest. */
  | 'BEST_SELLING'
  /** The order of hotProducts: most sold first, then newest. */
  | 'DEFAULT'
  /** By name, in the database's collation. */
  | 'NAME_ASC'
  /** Latest published first. */
  | 'NEWEST'
  /** Cheapest first. */
  | 'PRICE_ASC'
  /** Dearest first. */
  | 'PRICE_DESC';

export type FrameQueryVariables = Exact<{ [key: string]: never; }>;


export type FrameQuery = { readonly categories: ReadonlyArray<{ readonly id: number, readonly name: string, readonly children: ReadonlyArray<{ readonly id: number, readonly name: string }> }>, readonly noticePage: { readonly total: number, readonly items: ReadonlyArray<NoticeHeadFragment> } };

export type HomeQueryVariables = Exact<{ [key: string]: never; }>;


export type HomeQuery = { readonly hotProducts: ReadonlyArray<ProductTileFragment>, readonly newProducts: ReadonlyArray<ProductTileFragment> };

export type CategoryQueryVariables = Exact<{
  id: number;
  orderBy: ProductOrder;
  limit: number;
}>;


export type CategoryQuery = { readonly category: { readonly id: number, readonly name: string, readonly parent: { readonly id: number, readonly name: string } | null, readonly products: ReadonlyArray<ProductTileFragment>, readonly children: ReadonlyArray<{ readonly id: number, readonly name: string, readonly products: ReadonlyArray<ProductTileFragment> }> } | null };

export type ProductQueryVariables = Exact<{
  id: number;
}>;


export type ProductQuery = { readonly product: (
    { readonly description: string, readonly brand: string | null, readonly tags: ReadonlyArray<string>, readonly stock: number, readonly sales: number, readonly imageUrls: ReadonlyArray<string>, readonly publishedAt: string, readonly category: { readonly id: number, readonly name: string, readonly parent: { readonly id: number, readonly name: string } | null, readonly products: ReadonlyArray<ProductTileFragment> } }
    & ProductTileFragment
  ) | null };

export type NoticesQueryVariables = Exact<{
  page: number;
  type?: NoticeType | null | undefined;
  keyword?: string | null | undefined;
}>;


export type NoticesQuery = { readonly noticePage: { readonly total: number, readonly page: number, readonly pageCount: number, readonly items: ReadonlyArray<(
      { readonly summary: string | null, readonly pinned: boolean, readonly startsAt: string }
      & NoticeHeadFragment
    )> } };

export type NoticeQueryVariables = Exact<{
  id: number;
}>;


export type NoticeQuery = { readonly notice: (
    { readonly summary: string | null, readonly content: string, readonly startsAt: string, readonly endsAt: string | null, readonly inEffect: boolean, readonly viewCount: number }
    & NoticeHeadFragment
  ) | null };

export type ProductTileFragment = { readonly id: number, readonly name: string, readonly subtitle: string | null, readonly imageUrl: string | null, readonly inStock: boolean, readonly price: { readonly amount: string, readonly currencyCode: string }, readonly listPrice: { readonly amount: string, readonly currencyCode: string } | null };

export type NoticeHeadFragment = { readonly id: number, readonly type: NoticeType, readonly level: NoticeLevel, readonly title: string };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const ProductTileFragmentDoc = new TypedDocumentString(`
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
    `, {"fragmentName":"ProductTile"}) as unknown as TypedDocumentString<ProductTileFragment, unknown>;
export const NoticeHeadFragmentDoc = new TypedDocumentString(`
    fragment NoticeHead on Notice {
  id
  type
  level
  title
}
    `, {"fragmentName":"NoticeHead"}) as unknown as TypedDocumentString<NoticeHeadFragment, unknown>;
export const FrameDocument = new TypedDocumentString(`
    query Frame {
  categories {
    id
    name
    children {
      id
      name
    }
  }
  noticePage(pageSize: 1) {
    total
    items {
      ...NoticeHead
    }
  }
}
    fragment NoticeHead on Notice {
  id
  type
  level
  title
}`) as unknown as TypedDocumentString<FrameQuery, FrameQueryVariables>;
export const HomeDocument = new TypedDocumentString(`
    query Home {
  hotProducts(limit: 8) {
    ...ProductTile
  }
  newProducts(limit: 8) {
    ...ProductTile
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}`) as unknown as TypedDocumentString<HomeQuery, HomeQueryVariables>;
export const CategoryDocument = new TypedDocumentString(`
    query Category($id: Int!, $orderBy: ProductOrder!, $limit: Int!) {
  category(id: $id) {
    id
    name
    parent {
      id
      name
    }
    products(orderBy: $orderBy, limit: $limit) {
      ...ProductTile
    }
    children {
      id
      name
      products(orderBy: $orderBy, limit: 4) {
        ...ProductTile
      }
    }
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}`) as unknown as TypedDocumentString<CategoryQuery, CategoryQueryVariables>;
export const ProductDocument = new TypedDocumentString(`
    query Product($id: Int!) {
  product(id: $id) {
    ...ProductTile
    description
    brand
    tags
    stock
    sales
    imageUrls
    publishedAt
    category {
      id
      name
      parent {
        id
        name
      }
      products(limit: 5) {
        ...ProductTile
      }
    }
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}`) as unknown as TypedDocumentString<ProductQuery, ProductQueryVariables>;
export const NoticesDocument = new TypedDocumentString(`
    query Notices($page: Int!, $type: NoticeType, $keyword: String) {
  noticePage(page: $page, pageSize: 6, type: $type, keyword: $keyword) {
    total
    page
    pageCount
    items {
      ...NoticeHead
      summary
      pinned
      startsAt
    }
  }
}
    fragment NoticeHead on Notice {
  id
  type
  level
  title
}`) as unknown as TypedDocumentString<NoticesQuery, NoticesQueryVariables>;
export const NoticeDocument = new TypedDocumentString(`
    query Notice($id: Int!) {
  notice(id: $id) {
    ...NoticeHead
    summary
    content
    startsAt
    endsAt
    inEffect
    viewCount
  }
}
    fragment NoticeHead on Notice {
  id
  type
  level
  title
}`) as unknown as TypedDocumentString<NoticeQuery, NoticeQueryVariables>;
