/** An example operation: a tab of GraphiQL. */
export interface Example {
  /** Its purpose, by line; shown as a comment above the operation. */
  readonly about: readonly string[];
  /** The operation, in any layout. GraphiQL shows its name on the tab. */
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** Typical operations of a storefront, in the order of the tabs. Each gives a result with any catalogue. */
export const examples: readonly Example[] = [
  {
    about: [
      'What the home page of a shop needs, at once.',
      '',
      'Run: Ctrl-Enter. Complete: Ctrl-Space.',
      'The book explains every field.',
    ],
    query: `query HomePage {
      hotProducts(limit: 10) { ...Tile sales }
      newProducts(limit: 10) { ...Tile publishedAt }
      notices { id type level title pinned }
    }
    fragment Tile on Product { id name slug imageUrl price { amount currencyCode } category { name slug } }`,
  },
  {
    about: ['Everything a product page shows.', 'A product that is not on sale is null.'],
    query: `query ProductDetail($slug: String!) {
      productBySlug(slug: $slug) {
        id name subtitle description brand tags price { amount currencyCode } listPrice { amount currencyCode }
        inStock stock images { url alt } attributes { name values } publishedAt
        category { name slug parent { name slug } }
        related(limit: 4) { slug name }
      }
    }`,
    variables: { slug: 'galvanised-watering-can' },
  },
  {
    about: [
      'What a picker of sizes and colours needs.',
      'chosen: the variant with exactly these options; null where there is none.',
    ],
    query: `query Variants($slug: String!, $options: [SelectedOptionInput!]!) {
      productBySlug(slug: $slug) {
        name options { name values }
        priceRange { min { amount currencyCode } max { amount currencyCode } }
        variants { id sku barcode title selectedOptions { name value } price { amount } inStock imageUrl }
        chosen: variant(options: $options) { id title stock price { amount currencyCode } listPrice { amount } }
      }
    }`,
    variables: {
      slug: 'striped-harbour-shirt',
      options: [
        { name: 'Size', value: 'L' },
        { name: 'Colour', value: 'Navy' },
      ],
    },
  },
  {
    about: [
      'A cart, by the ids that a browser has kept: what each line costs now, and whether any are left.',
      'Null for what is no longer on sale.',
    ],
    query: `query Cart($variants: [Int!]!, $products: [Int!]!) {
      variantsByIds(ids: $variants) { ...Line product { id name slug } }
      productsByIds(ids: $products) { id name slug inStock price { amount currencyCode } }
    }
    fragment Line on ProductVariant { id sku title inStock stock imageUrl price { amount currencyCode } }`,
    variables: { variants: [1, 2, 999_999], products: [1] },
  },
  {
    about: [
      'Every top category, its children, and ten products of each.',
      'Other orders: see ProductOrder in the book.',
    ],
    query: `query Categories($orderBy: ProductOrder!) {
      categories {
        name slug
        children {
          name slug
          products(orderBy: $orderBy, limit: 10) { name slug sales price { amount currencyCode } }
        }
      }
    }`,
    variables: { orderBy: 'BEST_SELLING' },
  },
  {
    about: ['Several categories in one list, cheapest first.', 'No categoryIds, or an empty list: all of them.'],
    query: `query PriceOrder($categoryIds: [Int!], $limit: Int!) {
      products(categoryIds: $categoryIds, orderBy: PRICE_ASC, limit: $limit) {
        id name price { amount currencyCode } category { id name }
      }
    }`,
    variables: { categoryIds: [4, 5, 6], limit: 20 },
  },
  {
    about: [
      'A search page: products, how many there are, and what to narrow them down by.',
      'after: the endCursor of the page before. What is not selected is not read.',
    ],
    query: `query Search($search: String, $filter: ProductFilter, $after: String) {
      productSearch(search: $search, filter: $filter, first: 12, after: $after) {
        totalCount correctedSearch
        edges {
          node { slug imageUrl price { amount currencyCode } category { name ancestors { name slug } } }
          highlight { name { text isMatch } }
        }
        pageInfo { hasNextPage endCursor }
        facets {
          categories(limit: 10) { category { id name } count }
          brands(limit: 10) { value count }
          price { bands { min max count } }
          inStock onSale
        }
      }
    }`,
    variables: { search: 'tea', filter: { inStock: true }, after: null },
  },
  {
    about: [
      'A list that is narrowed down by attributes, and by options of variants.',
      'Options: one and the same variant has all; with inStock, that variant is in stock.',
      'Facets: each count is what the next click gives.',
    ],
    query: `query Attributes($filter: ProductFilter) {
      productSearch(filter: $filter, first: 12) {
        totalCount
        nodes { slug name attributes(names: ["Material", "Weight (g)"]) { name values } }
        facets {
          attributes(limit: 5) { name min max values(limit: 5) { value count } }
          options(limit: 5) { name values { value count } }
        }
      }
    }`,
    variables: {
      filter: {
        attributes: [
          { name: 'Material', values: ['Cotton', 'Wool', 'Canvas'] },
          { name: 'Weight (g)', max: '600' },
        ],
        options: [{ name: 'Colour', values: ['Navy', 'Sand', 'Oat'] }],
        inStock: true,
      },
    },
  },
  {
    about: ['What a search box suggests while somebody types.'],
    query: `query Suggestions($prefix: String!) {
      searchSuggestions(prefix: $prefix, limit: 8) { text kind product { slug } category { slug } }
    }`,
    variables: { prefix: 'te' },
  },
  {
    about: [
      'Notices in effect, page by page.',
      'keyword: in title, summary or content; null: any.',
      'type: one of NoticeType; null: any.',
    ],
    query: `query NoticeCentre($page: Int!, $keyword: String, $type: NoticeType) {
      noticePage(page: $page, pageSize: 10, keyword: $keyword, type: $type) {
        total page pageCount items { id type level title summary pinned startsAt endsAt viewCount }
      }
    }`,
    variables: { page: 1, keyword: null, type: 'ANNOUNCEMENT' },
  },
  {
    about: ['This counts a view: every run adds one.', 'The viewCount in the answer contains it.'],
    query: `query NoticeDetail($id: Int!) {
      notice(id: $id) { id type level title content pinned startsAt endsAt inEffect viewCount }
    }`,
    variables: { id: 1 },
  },
  {
    about: ['The notices in effect: at once, and again whenever they change.', 'It goes on until it is stopped.'],
    query: 'subscription LiveNotices { notices { id level title startsAt endsAt } }',
  },
];
