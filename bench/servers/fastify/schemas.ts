// fastify makes a serializer of the schema of an answer, which is why its documentation recommends one:
// https://fastify.dev/docs/latest/Reference/Validation-and-Serialization/#serialization

const text = { type: 'string' } as const;
const textOrNull = { type: 'string', nullable: true } as const;
const texts = { type: 'array', items: text } as const;
const integer = { type: 'integer' } as const;
const bool = { type: 'boolean' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const timeOrNull = { type: 'string', format: 'date-time', nullable: true } as const;

const moneyFields = { amount: text, currencyCode: text };
const money = { type: 'object', properties: moneyFields } as const;
const moneyOrNull = { type: 'object', properties: moneyFields, nullable: true } as const;

export const PRODUCT = {
  type: 'object',
  properties: {
    id: integer,
    name: text,
    slug: text,
    subtitle: textOrNull,
    description: text,
    brand: textOrNull,
    tags: texts,
    price: money,
    listPrice: moneyOrNull,
    stock: integer,
    inStock: bool,
    sales: integer,
    imageUrl: textOrNull,
    imageUrls: texts,
    category: { type: 'object', properties: { id: integer, name: text, slug: text } },
    publishedAt: time,
    createdAt: time,
    updatedAt: time,
  },
} as const;

export const NOTICE = {
  type: 'object',
  properties: {
    id: integer,
    type: text,
    level: text,
    title: text,
    summary: textOrNull,
    content: text,
    pinned: bool,
    startsAt: time,
    endsAt: timeOrNull,
    inEffect: bool,
    viewCount: integer,
    createdAt: time,
    updatedAt: time,
  },
} as const;

export const PRODUCTS = { type: 'array', items: PRODUCT } as const;
export const NOTICES = { type: 'array', items: NOTICE } as const;

export const NOTICE_PAGE = {
  type: 'object',
  properties: { list: NOTICES, total: integer, pageNum: integer, pageSize: integer, pages: integer },
} as const;

export const ID = { type: 'object', properties: { id: integer } } as const;

const limit = { type: 'integer', minimum: 1, maximum: 100 } as const;

export const LIMIT_QUERY = { type: 'object', properties: { limit: { ...limit, default: 10 } } } as const;

export const LIST_QUERY = {
  type: 'object',
  properties: {
    categoryIds: { type: 'string', pattern: '^[0-9]+(,[0-9]+)*$' },
    orderBy: { type: 'string', default: 'DEFAULT' },
    limit: { ...limit, default: 20 },
  },
} as const;

export const PAGE_QUERY = {
  type: 'object',
  properties: { pageNum: { type: 'integer', minimum: 1, default: 1 }, pageSize: { ...limit, default: 10 } },
} as const;
