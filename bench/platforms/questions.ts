import type pg from 'pg';
import { CONNECTIONS } from '../load/wrk.ts';

/** A page of a shop, as each API is asked for it. */
export interface Question {
  readonly title: string;
  readonly connections: number;
  /** What is asked for, in random order. */
  readonly variables: readonly Readonly<Record<string, string | number>>[];
  readonly vitrine: Form;
  readonly vendure: Form;
}

interface Form {
  readonly query: string;
  /** What the data says, in any order: the same of both. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of two APIs, and a wrong path shows when they are compared
  readonly facts: (data: any) => readonly unknown[];
}

/** Anything that an answer has. */
// biome-ignore lint/suspicious/noExplicitAny: as above
type Each = any;

const CARD = 'id name slug imageUrl inStock priceRange { min { amount currencyCode } max { amount } }';
const VENDURE_CARD = `productId productName slug inStock productAsset { preview } currencyCode
  priceWithTax { ... on PriceRange { min max } ... on SinglePrice { value } }`;
const isShared = ({ facetValue }: Each): boolean => facetValue.facet.name !== 'Category';

const PRODUCT = {
  title: 'product page: variants, options, facets, pictures',
  vitrine: {
    query: `query($slug: String!) { productBySlug(slug: $slug) { id name slug subtitle description imageUrl images { url } category { name }
      attributes { name values } options { name values }
      variants { id title sku inStock price { amount currencyCode } selectedOptions { name value } } } }`,
    facts: ({ productBySlug: { name, slug, images, category, attributes, variants } }: Each) => [
      `${slug} ${name} ${images.length} Category:${category.name}`,
      ...attributes.map((each: Each) => `${each.name}:${each.values}`),
      ...variants.map(({ sku, inStock, price }: Each) => `${sku} ${inStock} ${price.amount}`),
      ...variants.flatMap((each: Each) => each.selectedOptions.map((o: Each) => `${each.sku} ${o.name}:${o.value}`)),
    ],
  },
  vendure: {
    query: `query($slug: String!) { product(slug: $slug) { id name slug description featuredAsset { preview } assets { preview }
      facetValues { id name facet { name } } optionGroups { name options { name } }
      variants { id name sku stockLevel priceWithTax currencyCode options { name group { name } } } } }`,
    facts: ({ product: { name, slug, assets, facetValues, variants } }: Each) => [
      `${slug} ${name} ${assets.length} Category:${facetValues.find((each: Each) => each.facet.name === 'Category').name}`,
      ...facetValues.flatMap(({ facet, name: value }: Each) =>
        facet.name === 'Category' ? [] : `${facet.name}:${value}`,
      ),
      ...variants.map(
        (each: Each) => `${each.sku} ${each.stockLevel !== 'OUT_OF_STOCK'} ${(each.priceWithTax / 100).toFixed(2)}`,
      ),
      ...variants.flatMap((each: Each) => each.options.map((o: Each) => `${each.sku} ${o.group.name}:${o.name}`)),
    ],
  },
};

const CATEGORY = {
  title: 'category page: 20 products, total, all facets',
  vitrine: {
    query: `query($slug: String!, $id: Int!) { categoryBySlug(slug: $slug) { id name slug }
      productSearch(filter: { categoryIds: [$id] }, page: 1, pageSize: 20) { totalCount nodes { ${CARD} }
        facets { attributes(limit: 100) { name values(limit: 100) { value count } } } } }`,
    facts: ({ categoryBySlug: { name }, productSearch: { totalCount, nodes, facets } }: Each) => [
      `${name} ${totalCount} ${nodes.length}`,
      ...facets.attributes.flatMap((each: Each) => each.values.map((v: Each) => `${each.name}:${v.value} ${v.count}`)),
    ],
  },
  vendure: {
    query: `query($slug: String!) { collection(slug: $slug) { id name slug }
      search(input: { collectionSlug: $slug, groupByProduct: true, take: 20 }) { totalItems items { ${VENDURE_CARD} }
        facetValues { count facetValue { id name facet { name } } } } }`,
    facts: ({ collection: { name }, search: { totalItems, items, facetValues } }: Each) => [
      `${name} ${totalItems} ${items.length}`,
      ...facetValues.filter(isShared).map(({ count, facetValue: v }: Each) => `${v.facet.name}:${v.name} ${count}`),
    ],
  },
};

const SEARCH = {
  title: 'search by a word: 20 products, total',
  vitrine: {
    query: `query($word: String!) { productSearch(search: $word, page: 1, pageSize: 20) { totalCount nodes { ${CARD} } } }`,
    facts: ({ productSearch: { totalCount, nodes } }: Each) => [totalCount, nodes.length],
  },
  vendure: {
    query: `query($word: String!) { search(input: { term: $word, groupByProduct: true, take: 20 }) { totalItems items { ${VENDURE_CARD} } } }`,
    facts: ({ search: { totalItems, items } }: Each) => [totalItems, items.length],
  },
};

/** Products that are asked for, from all over the catalogue. */
const PRODUCTS = 2000;

/** Words of at least three syllables that one product in 20 to 500 has. */
const WORDS = `
  select word from product, lateral (select distinct unnest(string_to_array(concat_ws(' ', name, subtitle, description), ' ')) as word) words
  where length(word) > 5 group by word having count(*) between $1 / 500 and $1 / 20 order by word`;

/** About the products of a database of ours. */
export const questionsAbout = async (database: pg.Client, products: number): Promise<readonly Question[]> => {
  const categories = await database.query<{ slug: string; id: number }>(
    'select slug, id from category c where exists (select from product where category_id = c.id) order by id',
  );
  const words = await database.query<{ word: string }>(WORDS, [products]);
  const asked = Math.min(PRODUCTS, products);
  const slugs = Array.from({ length: asked }, (_, index) => ({
    slug: `product-${1 + Math.floor((index * products) / asked)}`,
  }));
  return [
    { ...PRODUCT, connections: CONNECTIONS, variables: slugs },
    { ...CATEGORY, connections: CONNECTIONS, variables: categories.rows },
    // Vendure takes seconds for one, so that 64 would wait for minutes.
    { ...SEARCH, connections: 8, variables: words.rows },
  ];
};
