// Written by `npm run operations` from ../operations.graphql and the schema.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** What an attribute must be: one of the values, or a number within the bounds. With values and bounds either of the two is enough; without both, all products fit. */
export type AttributeFilter = {
  /** A number that is not greater. */
  readonly max?: string | null | undefined;
  /** A number that is not less. */
  readonly min?: string | null | undefined;
  /** Of the attribute, as it is written. */
  readonly name: string;
  /** Any of these values, as facets and products show them. Empty: any. At most 1000. */
  readonly values?: ReadonlyArray<string> | null | undefined;
};

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

/** What a variant must be in one respect. */
export type OptionFilter = {
  /** Of the option, as it is written. */
  readonly name: string;
  /** Any of these values. Empty: any. At most 1000. */
  readonly values: ReadonlyArray<string>;
};

/** Every part that is given must hold. */
export type ProductFilter = {
  /** Each of them must hold. At most 20. */
  readonly attributes?: ReadonlyArray<AttributeFilter> | null | undefined;
  /** Of any of these brands. Empty: any. At most 1000. */
  readonly brands?: ReadonlyArray<string> | null | undefined;
  /** In any of these categories. Empty: any. At most 1000. */
  readonly categoryIds?: ReadonlyArray<number> | null | undefined;
  /** Whether any are left. */
  readonly inStock?: boolean | null | undefined;
  /** Not dearer. */
  readonly maxPrice?: string | null | undefined;
  /** Not cheaper. */
  readonly minPrice?: string | null | undefined;
  /** Whether the list price is above the price. */
  readonly onSale?: boolean | null | undefined;
  /** One and the same variant has each of them, and is in stock where `inStock` is true. At most 20. */
  readonly options?: ReadonlyArray<OptionFilter> | null | undefined;
  /** Published in a later millisecond than this. */
  readonly publishedAfter?: string | null | undefined;
  /** With all of these tags. Empty: any. At most 1000. */
  readonly tags?: ReadonlyArray<string> | null | undefined;
  /** Whether the categories below count too: for `categoryIds`, and for the counts of categories. */
  readonly withDescendants?: boolean;
};

/** How the products of a search are sorted. */
export type ProductSearchOrder =
  /** Most sold first, then newest. */
  | 'BEST_SELLING'
  /** By name, in the database's collation. */
  | 'NAME_ASC'
  /** Latest published first. */
  | 'NEWEST'
  /** Cheapest first. */
  | 'PRICE_ASC'
  /** Dearest first. */
  | 'PRICE_DESC'
  /** What fits a search best first, then as BEST_SELLING. Without a search: BEST_SELLING. */
  | 'RELEVANCE';

/** What a suggestion is. */
export type SuggestionKind =
  /** A brand. */
  | 'BRAND'
  /** The name of a category. */
  | 'CATEGORY'
  /** The name of a product. */
  | 'PRODUCT'
  /** A tag. */
  | 'TAG';

export type HomeQueryVariables = Exact<{
  language?: string | null | undefined;
}>;


export type HomeQuery = { readonly categories: ReadonlyArray<(
    { readonly imageUrl: string | null, readonly productCount: number }
    & CategoryLinkFragment
  )>, readonly hotProducts: ReadonlyArray<ProductTileFragment>, readonly newProducts: ReadonlyArray<ProductTileFragment> };

export type FrameQueryVariables = Exact<{
  language?: string | null | undefined;
}>;


export type FrameQuery = { readonly categories: ReadonlyArray<MenuEntryFragment>, readonly noticePage: { readonly total: number, readonly items: ReadonlyArray<NoticeHeadFragment> } };

export type NoticeChangesSubscriptionVariables = Exact<{
  language?: string | null | undefined;
}>;


export type NoticeChangesSubscription = { readonly notices: ReadonlyArray<NoticeHeadFragment> };

export type MenuBranchQueryVariables = Exact<{
  id: number;
  language?: string | null | undefined;
}>;


export type MenuBranchQuery = { readonly category: { readonly id: number, readonly children: ReadonlyArray<MenuEntryFragment> } | null };

export type SuggestionsQueryVariables = Exact<{
  prefix: string;
  limit: number;
  language?: string | null | undefined;
}>;


export type SuggestionsQuery = { readonly searchSuggestions: ReadonlyArray<{ readonly text: string, readonly kind: SuggestionKind, readonly product: { readonly id: number, readonly imageUrl: string | null } | null, readonly category: { readonly id: number, readonly ancestors: ReadonlyArray<{ readonly name: string }> } | null }> };

export type SearchQueryVariables = Exact<{
  search?: string | null | undefined;
  filter?: ProductFilter | null | undefined;
  orderBy?: ProductSearchOrder | null | undefined;
  page: number;
  language?: string | null | undefined;
}>;


export type SearchQuery = { readonly productSearch: (
    { readonly facets: { readonly categories: ReadonlyArray<{ readonly count: number, readonly category: CategoryLinkFragment }> } }
    & ProductListFragment
  ) };

export type CategoryQueryVariables = Exact<{
  id: number;
  search?: string | null | undefined;
  filter?: ProductFilter | null | undefined;
  orderBy?: ProductSearchOrder | null | undefined;
  page: number;
  language?: string | null | undefined;
}>;


export type CategoryQuery = { readonly category: (
    { readonly translations: ReadonlyArray<{ readonly language: string }>, readonly ancestors: ReadonlyArray<CategoryLinkFragment>, readonly children: ReadonlyArray<(
      { readonly productCount: number }
      & CategoryLinkFragment
    )> }
    & CategoryLinkFragment
  ) | null, readonly productSearch: ProductListFragment };

export type ProductQueryVariables = Exact<{
  id: number;
  language?: string | null | undefined;
}>;


export type ProductQuery = { readonly product: (
    { readonly description: string, readonly brand: string | null, readonly sku: string | null, readonly language: string, readonly tags: ReadonlyArray<string>, readonly tagLabels: ReadonlyArray<string>, readonly publishedAt: string, readonly translations: ReadonlyArray<{ readonly language: string }>, readonly images: ReadonlyArray<{ readonly url: string, readonly alt: string }>, readonly attributes: ReadonlyArray<{ readonly name: string, readonly label: string, readonly values: ReadonlyArray<string>, readonly valueLabels: ReadonlyArray<string> }>, readonly category: (
      { readonly ancestors: ReadonlyArray<CategoryLinkFragment> }
      & CategoryLinkFragment
    ), readonly related: ReadonlyArray<ProductTileFragment> }
    & ProductTileFragment
    & ProductOfferFragment
  ) | null };

export type ProductChangesSubscriptionVariables = Exact<{
  id: number;
  language?: string | null | undefined;
}>;


export type ProductChangesSubscription = { readonly product: ProductOfferFragment | null };

export type ViewedQueryVariables = Exact<{
  ids: ReadonlyArray<number> | number;
  language?: string | null | undefined;
}>;


export type ViewedQuery = { readonly productsByIds: ReadonlyArray<ProductTileFragment | null> };

export type NoticesQueryVariables = Exact<{
  page: number;
  type?: NoticeType | null | undefined;
  keyword?: string | null | undefined;
  language?: string | null | undefined;
}>;


export type NoticesQuery = { readonly noticePage: { readonly total: number, readonly page: number, readonly pageCount: number, readonly items: ReadonlyArray<(
      { readonly summary: string | null, readonly pinned: boolean, readonly startsAt: string }
      & NoticeHeadFragment
    )> } };

export type NoticeQueryVariables = Exact<{
  id: number;
  language?: string | null | undefined;
}>;


export type NoticeQuery = { readonly notice: (
    { readonly summary: string | null, readonly content: string, readonly startsAt: string, readonly endsAt: string | null, readonly inEffect: boolean, readonly viewCount: number }
    & NoticeHeadFragment
  ) | null };

export type ProductTileFragment = (
  { readonly id: number, readonly name: string, readonly subtitle: string | null, readonly imageUrl: string | null, readonly inStock: boolean, readonly priceRange: { readonly max: { readonly amount: string } } }
  & ProductPriceFragment
);

export type ProductPriceFragment = { readonly price: { readonly amount: string, readonly currencyCode: string }, readonly listPrice: { readonly amount: string, readonly currencyCode: string } | null };

export type ProductOfferFragment = (
  { readonly stock: number, readonly inStock: boolean, readonly sales: number, readonly options: ReadonlyArray<{ readonly name: string, readonly label: string, readonly values: ReadonlyArray<string>, readonly valueLabels: ReadonlyArray<string> }>, readonly variants: ReadonlyArray<VariantFragment> }
  & ProductPriceFragment
);

export type VariantFragment = { readonly id: number, readonly title: string, readonly sku: string | null, readonly barcode: string | null, readonly imageUrl: string | null, readonly stock: number, readonly inStock: boolean, readonly price: { readonly amount: string, readonly currencyCode: string }, readonly listPrice: { readonly amount: string, readonly currencyCode: string } | null, readonly selectedOptions: ReadonlyArray<{ readonly name: string, readonly value: string }> };

export type ProductListFragment = { readonly totalCount: number, readonly pageCount: number, readonly correctedSearch: string | null, readonly edges: ReadonlyArray<{ readonly node: ProductTileFragment, readonly highlight: { readonly name: ReadonlyArray<{ readonly text: string, readonly isMatch: boolean }>, readonly snippet: ReadonlyArray<{ readonly text: string, readonly isMatch: boolean }> } | null }>, readonly facets: { readonly inStock: number, readonly onSale: number, readonly brands: ReadonlyArray<{ readonly value: string, readonly label: string, readonly count: number }>, readonly tags: ReadonlyArray<{ readonly value: string, readonly label: string, readonly count: number }>, readonly price: { readonly bands: ReadonlyArray<{ readonly min: string, readonly max: string, readonly count: number }> } | null, readonly options: ReadonlyArray<FacetFragment>, readonly attributes: ReadonlyArray<FacetFragment> } };

export type FacetFragment = { readonly name: string, readonly label: string, readonly min: string | null, readonly max: string | null, readonly values: ReadonlyArray<{ readonly value: string, readonly label: string, readonly count: number }> };

export type MenuEntryFragment = (
  { readonly children: ReadonlyArray<{ readonly id: number }> }
  & CategoryLinkFragment
);

export type CategoryLinkFragment = { readonly id: number, readonly name: string };

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
export const ProductPriceFragmentDoc = new TypedDocumentString(`
    fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
    `, {"fragmentName":"ProductPrice"}) as unknown as TypedDocumentString<ProductPriceFragment, unknown>;
export const VariantFragmentDoc = new TypedDocumentString(`
    fragment Variant on ProductVariant {
  id
  title
  sku
  barcode
  imageUrl
  stock
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
  selectedOptions {
    name
    value
  }
}
    `, {"fragmentName":"Variant"}) as unknown as TypedDocumentString<VariantFragment, unknown>;
export const ProductOfferFragmentDoc = new TypedDocumentString(`
    fragment ProductOffer on Product {
  ...ProductPrice
  stock
  inStock
  sales
  options {
    name
    label
    values
    valueLabels
  }
  variants {
    ...Variant
  }
}
    fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment Variant on ProductVariant {
  id
  title
  sku
  barcode
  imageUrl
  stock
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
  selectedOptions {
    name
    value
  }
}`, {"fragmentName":"ProductOffer"}) as unknown as TypedDocumentString<ProductOfferFragment, unknown>;
export const ProductTileFragmentDoc = new TypedDocumentString(`
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
    fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}`, {"fragmentName":"ProductTile"}) as unknown as TypedDocumentString<ProductTileFragment, unknown>;
export const FacetFragmentDoc = new TypedDocumentString(`
    fragment Facet on AttributeFacet {
  name
  label
  min
  max
  values(limit: 50) {
    value
    label
    count
  }
}
    `, {"fragmentName":"Facet"}) as unknown as TypedDocumentString<FacetFragment, unknown>;
export const ProductListFragmentDoc = new TypedDocumentString(`
    fragment ProductList on ProductConnection {
  totalCount
  pageCount
  correctedSearch
  edges {
    node {
      ...ProductTile
    }
    highlight {
      name {
        text
        isMatch
      }
      snippet {
        text
        isMatch
      }
    }
  }
  facets {
    brands(limit: 50) {
      value
      label
      count
    }
    tags(limit: 50) {
      value
      label
      count
    }
    price {
      bands {
        min
        max
        count
      }
    }
    options(limit: 4) {
      ...Facet
    }
    attributes(limit: 6) {
      ...Facet
    }
    inStock
    onSale
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment Facet on AttributeFacet {
  name
  label
  min
  max
  values(limit: 50) {
    value
    label
    count
  }
}`, {"fragmentName":"ProductList"}) as unknown as TypedDocumentString<ProductListFragment, unknown>;
export const CategoryLinkFragmentDoc = new TypedDocumentString(`
    fragment CategoryLink on Category {
  id
  name
}
    `, {"fragmentName":"CategoryLink"}) as unknown as TypedDocumentString<CategoryLinkFragment, unknown>;
export const MenuEntryFragmentDoc = new TypedDocumentString(`
    fragment MenuEntry on Category {
  ...CategoryLink
  children {
    id
  }
}
    fragment CategoryLink on Category {
  id
  name
}`, {"fragmentName":"MenuEntry"}) as unknown as TypedDocumentString<MenuEntryFragment, unknown>;
export const NoticeHeadFragmentDoc = new TypedDocumentString(`
    fragment NoticeHead on Notice {
  id
  type
  level
  title
}
    `, {"fragmentName":"NoticeHead"}) as unknown as TypedDocumentString<NoticeHeadFragment, unknown>;
export const HomeDocument = new TypedDocumentString(`
    query Home($language: String) @inContext(language: $language) {
  categories {
    ...CategoryLink
    imageUrl
    productCount
  }
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
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment CategoryLink on Category {
  id
  name
}`) as unknown as TypedDocumentString<HomeQuery, HomeQueryVariables>;
export const FrameDocument = new TypedDocumentString(`
    query Frame($language: String) @inContext(language: $language) {
  categories {
    ...MenuEntry
  }
  noticePage(pageSize: 1) {
    total
    items {
      ...NoticeHead
    }
  }
}
    fragment MenuEntry on Category {
  ...CategoryLink
  children {
    id
  }
}
fragment CategoryLink on Category {
  id
  name
}
fragment NoticeHead on Notice {
  id
  type
  level
  title
}`) as unknown as TypedDocumentString<FrameQuery, FrameQueryVariables>;
export const NoticeChangesDocument = new TypedDocumentString(`
    subscription NoticeChanges($language: String) @inContext(language: $language) {
  notices {
    ...NoticeHead
  }
}
    fragment NoticeHead on Notice {
  id
  type
  level
  title
}`) as unknown as TypedDocumentString<NoticeChangesSubscription, NoticeChangesSubscriptionVariables>;
export const MenuBranchDocument = new TypedDocumentString(`
    query MenuBranch($id: Int!, $language: String) @inContext(language: $language) {
  category(id: $id) {
    id
    children {
      ...MenuEntry
    }
  }
}
    fragment MenuEntry on Category {
  ...CategoryLink
  children {
    id
  }
}
fragment CategoryLink on Category {
  id
  name
}`) as unknown as TypedDocumentString<MenuBranchQuery, MenuBranchQueryVariables>;
export const SuggestionsDocument = new TypedDocumentString(`
    query Suggestions($prefix: String!, $limit: Int!, $language: String) @inContext(language: $language) {
  searchSuggestions(prefix: $prefix, limit: $limit) {
    text
    kind
    product {
      id
      imageUrl
    }
    category {
      id
      ancestors {
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<SuggestionsQuery, SuggestionsQueryVariables>;
export const SearchDocument = new TypedDocumentString(`
    query Search($search: String, $filter: ProductFilter, $orderBy: ProductSearchOrder, $page: Int!, $language: String) @inContext(language: $language) {
  productSearch(
    search: $search
    filter: $filter
    orderBy: $orderBy
    page: $page
    pageSize: 24
  ) {
    ...ProductList
    facets {
      categories(limit: 12) {
        count
        category {
          ...CategoryLink
        }
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
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment ProductList on ProductConnection {
  totalCount
  pageCount
  correctedSearch
  edges {
    node {
      ...ProductTile
    }
    highlight {
      name {
        text
        isMatch
      }
      snippet {
        text
        isMatch
      }
    }
  }
  facets {
    brands(limit: 50) {
      value
      label
      count
    }
    tags(limit: 50) {
      value
      label
      count
    }
    price {
      bands {
        min
        max
        count
      }
    }
    options(limit: 4) {
      ...Facet
    }
    attributes(limit: 6) {
      ...Facet
    }
    inStock
    onSale
  }
}
fragment Facet on AttributeFacet {
  name
  label
  min
  max
  values(limit: 50) {
    value
    label
    count
  }
}
fragment CategoryLink on Category {
  id
  name
}`) as unknown as TypedDocumentString<SearchQuery, SearchQueryVariables>;
export const CategoryDocument = new TypedDocumentString(`
    query Category($id: Int!, $search: String, $filter: ProductFilter, $orderBy: ProductSearchOrder, $page: Int!, $language: String) @inContext(language: $language) {
  category(id: $id) {
    ...CategoryLink
    translations {
      language
    }
    ancestors {
      ...CategoryLink
    }
    children {
      ...CategoryLink
      productCount
    }
  }
  productSearch(
    search: $search
    filter: $filter
    orderBy: $orderBy
    page: $page
    pageSize: 24
  ) {
    ...ProductList
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment ProductList on ProductConnection {
  totalCount
  pageCount
  correctedSearch
  edges {
    node {
      ...ProductTile
    }
    highlight {
      name {
        text
        isMatch
      }
      snippet {
        text
        isMatch
      }
    }
  }
  facets {
    brands(limit: 50) {
      value
      label
      count
    }
    tags(limit: 50) {
      value
      label
      count
    }
    price {
      bands {
        min
        max
        count
      }
    }
    options(limit: 4) {
      ...Facet
    }
    attributes(limit: 6) {
      ...Facet
    }
    inStock
    onSale
  }
}
fragment Facet on AttributeFacet {
  name
  label
  min
  max
  values(limit: 50) {
    value
    label
    count
  }
}
fragment CategoryLink on Category {
  id
  name
}`) as unknown as TypedDocumentString<CategoryQuery, CategoryQueryVariables>;
export const ProductDocument = new TypedDocumentString(`
    query Product($id: Int!, $language: String) @inContext(language: $language) {
  product(id: $id) {
    ...ProductTile
    ...ProductOffer
    description
    brand
    sku
    language
    translations {
      language
    }
    tags
    tagLabels
    publishedAt
    images {
      url
      alt
    }
    attributes {
      name
      label
      values
      valueLabels
    }
    category {
      ...CategoryLink
      ancestors {
        ...CategoryLink
      }
    }
    related(limit: 4) {
      ...ProductTile
    }
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment ProductOffer on Product {
  ...ProductPrice
  stock
  inStock
  sales
  options {
    name
    label
    values
    valueLabels
  }
  variants {
    ...Variant
  }
}
fragment Variant on ProductVariant {
  id
  title
  sku
  barcode
  imageUrl
  stock
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
  selectedOptions {
    name
    value
  }
}
fragment CategoryLink on Category {
  id
  name
}`) as unknown as TypedDocumentString<ProductQuery, ProductQueryVariables>;
export const ProductChangesDocument = new TypedDocumentString(`
    subscription ProductChanges($id: Int!, $language: String) @inContext(language: $language) {
  product(id: $id) {
    ...ProductOffer
  }
}
    fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}
fragment ProductOffer on Product {
  ...ProductPrice
  stock
  inStock
  sales
  options {
    name
    label
    values
    valueLabels
  }
  variants {
    ...Variant
  }
}
fragment Variant on ProductVariant {
  id
  title
  sku
  barcode
  imageUrl
  stock
  inStock
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
  selectedOptions {
    name
    value
  }
}`) as unknown as TypedDocumentString<ProductChangesSubscription, ProductChangesSubscriptionVariables>;
export const ViewedDocument = new TypedDocumentString(`
    query Viewed($ids: [Int!]!, $language: String) @inContext(language: $language) {
  productsByIds(ids: $ids) {
    ...ProductTile
  }
}
    fragment ProductTile on Product {
  id
  name
  subtitle
  imageUrl
  inStock
  priceRange {
    max {
      amount
    }
  }
  ...ProductPrice
}
fragment ProductPrice on Product {
  price {
    amount
    currencyCode
  }
  listPrice {
    amount
    currencyCode
  }
}`) as unknown as TypedDocumentString<ViewedQuery, ViewedQueryVariables>;
export const NoticesDocument = new TypedDocumentString(`
    query Notices($page: Int!, $type: NoticeType, $keyword: String, $language: String) @inContext(language: $language) {
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
    query Notice($id: Int!, $language: String) @inContext(language: $language) {
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
