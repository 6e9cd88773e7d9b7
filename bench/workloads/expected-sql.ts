// Plain on purpose: this SQL has to be right, not fast. It follows the contract, not what any of the servers send.

const time = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const money = (amount: string): string =>
  `case when ${amount} is not null then json_build_object('amount', ${amount}::text, 'currencyCode', p.currency) end`;

export const VISIBLE = `p.status = 'ON_SALE' and p.published_at <= now()`;

export const IN_EFFECT = `n.status = 'PUBLISHED' and n.starts_at <= now() and (n.ends_at is null or now() < n.ends_at)`;

export const BEST_SELLING = 'p.sales desc, p.published_at desc, p.id desc';
export const NEWEST = 'p.published_at desc, p.id desc';
export const CHEAPEST = 'p.price, p.id';
const NOTICE_ORDER = 'n.pinned desc, n.starts_at desc, n.id desc';

const categoryOf = (fields: string): string =>
  `(select json_build_object(${fields}) from category c where c.id = p.category_id)`;

/** What REST answers for a row of `product p`. */
export const PRODUCT = `json_build_object(
  'id', p.id, 'name', p.name, 'slug', p.slug, 'subtitle', p.subtitle, 'description', p.description, 'brand', p.brand, 'tags', p.tags,
  'price', ${money('p.price')}, 'listPrice', ${money('p.list_price')}, 'stock', p.stock, 'inStock', p.stock > 0, 'sales', p.sales,
  'imageUrl', p.image_url, 'imageUrls', p.image_urls, 'category', ${categoryOf(`'id', c.id, 'name', c.name, 'slug', c.slug`)},
  'publishedAt', ${time('p.published_at')}, 'createdAt', ${time('p.created_at')}, 'updatedAt', ${time('p.updated_at')})`;

/** What the home page shows of a row of `product p`. */
const PRODUCT_CARD = `json_build_object('id', p.id, 'name', p.name, 'price', ${money('p.price')},
  'category', ${categoryOf(`'name', c.name`)})`;

/** What REST answers for a row of `notice n`. */
export const NOTICE = `json_build_object(
  'id', n.id, 'type', n.type, 'level', n.level, 'title', n.title, 'summary', n.summary, 'content', n.content, 'pinned', n.pinned,
  'startsAt', ${time('n.starts_at')}, 'endsAt', ${time('n.ends_at')}, 'inEffect', ${IN_EFFECT},
  'viewCount', n.view_count, 'createdAt', ${time('n.created_at')}, 'updatedAt', ${time('n.updated_at')})`;

/** What the home page shows of a row of `notice n`. */
const NOTICE_CARD = `json_build_object('id', n.id, 'type', n.type, 'level', n.level, 'title', n.title, 'summary', n.summary,
  'pinned', n.pinned, 'startsAt', ${time('n.starts_at')})`;

/** What the nested operation asks of a row of `product p`. */
const NESTED_PRODUCT = `json_build_object('id', p.id, 'name', p.name, 'price', json_build_object('amount', p.price::text),
  'category', ${categoryOf(`'name', c.name`)})`;

/** The first products that meet a condition, as a JSON array. */
export const productList = (item: string, where: string, order: string, limit: string): string =>
  `(select json_agg(${item} order by ${order}) from (select * from product p where ${VISIBLE} and ${where} order by ${order} limit ${limit}) p)`;

/** Some notices in effect, as a JSON array. */
export const noticeList = (item: string, limit: string, offset = '0'): string =>
  `(select json_agg(${item} order by ${NOTICE_ORDER}) from (select * from notice n where ${IN_EFFECT} order by ${NOTICE_ORDER} limit ${limit} offset ${offset}) n)`;

/** The home page, with so many products and this part of the notices. */
export const home = (hot: string, latest: string, noticeOffset: string): string =>
  `select json_build_object('hotProducts', ${productList(PRODUCT_CARD, 'true', BEST_SELLING, hot)},
    'newProducts', ${productList(PRODUCT_CARD, 'true', NEWEST, latest)},
    'noticePage', json_build_object('items', ${noticeList(NOTICE_CARD, '10', noticeOffset)})) as answer`;

/** Each root category with the first of its products. */
export const nested = (order: string, limit: string): string =>
  `select json_build_object('categories', json_agg(json_build_object('id', root.id, 'name', root.name, 'products',
    ${productList(NESTED_PRODUCT, 'p.category_id = root.id', order, limit)}) order by root.position, root.id)) as answer
    from category root where root.parent_id is null`;
