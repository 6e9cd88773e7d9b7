import { demoDepartments } from './demo/categories.ts';
import { demoNotices } from './demo/notices.ts';
import { cookware } from './demo/products/cookware.ts';

/** Field values by the name of a GraphQL type, as an answer has them: one thing of each kind in the demo catalogue. */
export type Samples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const [department] = demoDepartments;
const shelf = department?.children[0];
const product = cookware[0];
const notice = demoNotices[1];

const CREATED = '2026-11-14T06:01:19.856Z';
const picture = (name: string | undefined): string => `/images/${name}.svg`;

/** Ids are those that a new database gives: departments first, then shelves; the rest in the order of their lists. */
export const SAMPLES: Samples = {
  Category: {
    id: demoDepartments.length + 1,
    ...shelf,
    imageUrl: picture(shelf?.slug),
    parent: {
      id: 1,
      name: department?.name,
      slug: department?.slug,
      imageUrl: picture(department?.slug),
      parent: null,
    },
    children: [],
  },
  Money: { amount: product?.price, currencyCode: 'USD' },
  Product: {
    id: 1,
    ...product,
    price: { amount: product?.price },
    listPrice: null,
    inStock: true,
    imageUrl: picture(product?.slug),
    imageUrls: [picture(product?.slug), picture(`${product?.slug}-2`)],
    publishedAt: CREATED,
    createdAt: CREATED,
    updatedAt: CREATED,
  },
  Notice: {
    id: 2,
    ...notice,
    startsAt: CREATED,
    endsAt: '2026-11-29T06:01:19.856Z',
    inEffect: true,
    createdAt: CREATED,
    updatedAt: CREATED,
  },
  NoticePage: { total: 1, page: 1, pageSize: 10, pageCount: 1 },
};

/** Values of arguments by their schema coordinate: with them the demo catalogue has an answer. */
export const SAMPLE_ARGUMENTS: Readonly<Record<string, unknown>> = {
  'Query.product(id:)': 1,
  'Query.productBySlug(slug:)': product?.slug,
  'Query.products(categoryIds:)': [demoDepartments.length + 1, demoDepartments.length + 2],
  'Query.products(orderBy:)': 'PRICE_ASC',
  'Query.category(id:)': demoDepartments.length + 1,
  'Query.noticePage(keyword:)': 'linen',
  'Query.noticePage(type:)': notice?.type,
  'Query.notice(id:)': 2,
};
