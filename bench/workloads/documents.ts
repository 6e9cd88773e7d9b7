/** Every field that REST answers for a product. */
const PRODUCT = `{ id name slug subtitle description brand tags price { amount currencyCode } listPrice { amount currencyCode }
  stock inStock sales imageUrl imageUrls category { id name slug } publishedAt createdAt updatedAt }`;

/** Every field that REST answers for a notice. */
const NOTICE = `{ id type level title summary content pinned startsAt endsAt inEffect viewCount createdAt updatedAt }`;

const CARD = `{ id name price { amount currencyCode } category { name } }`;

export const PRODUCT_DOCUMENT = `query ($id: Int!) { product(id: $id) ${PRODUCT} }`;
export const HOT_DOCUMENT = `{ hotProducts(limit: 10) ${PRODUCT} }`;
export const NEW_DOCUMENT = `{ newProducts(limit: 10) ${PRODUCT} }`;
export const BY_CATEGORY_DOCUMENT = `query ($categoryIds: [Int!]) {
  products(categoryIds: $categoryIds, orderBy: PRICE_ASC, limit: 20) ${PRODUCT} }`;
export const NOTICES_DOCUMENT = `{ notices ${NOTICE} }`;
export const NOTICE_PAGE_DOCUMENT = `{ noticePage(page: 1, pageSize: 10) { list: items ${NOTICE} total pageNum: page pageSize pages: pageCount } }`;
export const NOTICE_DOCUMENT = `query ($id: Int!) { notice(id: $id) ${NOTICE} }`;

const home = (name: string, hot: string, latest: string, page: string): string => `query ${name} {
  hotProducts(limit: ${hot}) ${CARD}
  newProducts(limit: ${latest}) ${CARD}
  noticePage(page: ${page}, pageSize: 10) { items { id type level title summary pinned startsAt } }
}`;

const nested = (name: string, args: string): string => `query ${name} {
  categories { id name products(${args}) { id name price { amount } category { name } } }
}`;

export const HOME_DOCUMENT = home('Home', '10', '10', '1');
export const NESTED_DOCUMENT = nested('Nested', 'limit: 10');

/** With arguments, for answers that were not asked for before. */
export const ANY_HOME_DOCUMENT = home('Home($hot: Int!, $latest: Int!, $page: Int!)', '$hot', '$latest', '$page');
export const ANY_NESTED_DOCUMENT = nested(
  'Nested($orderBy: ProductOrder!, $limit: Int!)',
  'orderBy: $orderBy, limit: $limit',
);
