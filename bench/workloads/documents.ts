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

export const HOME_DOCUMENT = `query Home {
  hotProducts(limit: 10) ${CARD}
  newProducts(limit: 10) ${CARD}
  noticePage(page: 1, pageSize: 10) { items { id type level title summary pinned startsAt } }
}`;

export const NESTED_DOCUMENT = `query Nested {
  categories { id name products(limit: 10) { id name price { amount } category { name } } }
}`;
