import { Problem, type Value } from '../value.ts';
import { amount, currency } from './amount.ts';
import { categoryPath, categorySlug } from './category-path.ts';
import { boolean, type Field, type Fields, INT32_MAX, integer, longText, oneOf, shortText, textList } from './field.ts';
import { moment } from './moment.ts';
import { slug } from './slug.ts';

const nullable = { isNullable: true };
const required = { isRequired: true };

const field = (column: string, type: string, parse: Field['parse'], options: Partial<Field> = {}): Field => ({
  column,
  type,
  parse,
  ...options,
});

const NAME = field('name', 'text', shortText(500), required);
const SLUG = field('slug', 'text', slug, required);
const CREATED_AT = field('created_at', 'timestamptz', moment, { isInsertOnly: true });
const UPDATED_AT = field('updated_at', 'timestamptz', moment);
const STOCK_OR_SALES = integer(0, INT32_MAX);

// A URL may have commas in it, but no blanks and no bars.
const TAGS = textList((text) => (text.includes('|') ? /\|/ : /[,;]/));
const URLS = textList(() => /\s*\|\s*|[,;]?\s+|[,;](?=https?:|\/)/);

/** A field of the stage that stands for two of a file: the path of names, and the slug alone. */
const eitherCategory = (value: Value) => (isSlugOnly(value) ? categorySlug(value.slug ?? '') : categoryPath(value));

const isSlugOnly = (value: Value): value is { readonly slug: Value } =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 1 &&
  'slug' in value;

const PRODUCT: Fields = {
  slug: SLUG,
  name: NAME,
  category: field('category_path', 'jsonb', eitherCategory, required),
  subtitle: field('subtitle', 'text', longText, nullable),
  description: field('description', 'text', longText),
  brand: field('brand', 'text', longText, nullable),
  tags: field('tags', 'text[]', TAGS),
  price: field('price', 'numeric(14,2)', amount, required),
  listPrice: field('list_price', 'numeric(14,2)', amount, nullable),
  currency: field('currency', 'char(3)', currency),
  stock: field('stock', 'int', STOCK_OR_SALES),
  sales: field('sales', 'int', STOCK_OR_SALES),
  imageUrl: field('image_url', 'text', longText, nullable),
  imageUrls: field('image_urls', 'text[]', URLS),
  status: field('status', 'product_status', oneOf('DRAFT', 'ON_SALE', 'OFF_SALE')),
  publishedAt: field('published_at', 'timestamptz', moment),
  createdAt: CREATED_AT,
  updatedAt: UPDATED_AT,
};

const CATEGORY: Fields = {
  slug: SLUG,
  name: NAME,
  parent: field('category_path', 'jsonb', eitherCategory, nullable),
  imageUrl: field('image_url', 'text', longText, nullable),
  position: field('position', 'int', integer(-INT32_MAX, INT32_MAX)),
  createdAt: CREATED_AT,
  updatedAt: UPDATED_AT,
};

const NOTICE: Fields = {
  title: field('title', 'text', shortText(500), required),
  startsAt: field('starts_at', 'timestamptz', moment),
  type: field('type', 'notice_type', oneOf('ANNOUNCEMENT', 'PROMOTION', 'MAINTENANCE')),
  level: field('level', 'notice_level', oneOf('NORMAL', 'IMPORTANT', 'URGENT')),
  summary: field('summary', 'text', longText, nullable),
  content: field('content', 'text', longText, required),
  pinned: field('pinned', 'boolean', boolean),
  status: field('status', 'notice_status', oneOf('DRAFT', 'PUBLISHED', 'WITHDRAWN')),
  endsAt: field('ends_at', 'timestamptz', moment, nullable),
  // Counted by the gateways from then on: an import would take views away.
  viewCount: field('view_count', 'bigint', integer(0, Number.MAX_SAFE_INTEGER), { isInsertOnly: true }),
  createdAt: CREATED_AT,
  updatedAt: UPDATED_AT,
};

/** What a file holds: one kind of thing, whose table bears its name. */
export type Kind = 'product' | 'category' | 'notice';

export const FIELDS: Readonly<Record<Kind, Fields>> = { product: PRODUCT, category: CATEGORY, notice: NOTICE };

/** What identifies a thing of each kind. A notice has no slug: it is its title, and its start where the file tells it. */
export const KEY_FIELD: Readonly<Record<Kind, string>> = { product: 'slug', category: 'slug', notice: 'title' };

/** What no single field can tell. */
export const checkRow = (kind: Kind, parsed: Readonly<Record<string, string | null>>): Problem | undefined => {
  const { startsAt, endsAt } = parsed;
  const isReversed = kind === 'notice' && startsAt && endsAt && Date.parse(endsAt) <= Date.parse(startsAt);
  return isReversed ? new Problem('must be after the start') : undefined;
};
