import { FIELDS, type Kind } from '../fields/kinds.ts';
import { slugify } from '../fields/slug.ts';
import { isObject } from '../source/json-text.ts';
import type { SourceRecord, Value } from '../value.ts';
import { createColumns } from './columns.ts';
import { type Draft, type Format, type FormatReader, plainName } from './format.ts';

type Shape = (values: Record<string, Value>) => void;

/** Columns of their own names, beside those that are fields. */
const EXTRA: Readonly<Record<Kind, Readonly<Record<string, readonly string[]>>>> = {
  product: { currency: ['currency', 'currencyCode'], categorySlug: ['categorySlug'] },
  category: { parentSlug: ['parentSlug'], path: ['path'], children: ['children'] },
  notice: {},
};

/** Which of them may speak for a field. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {
  category: ['categorySlug'],
  parent: ['parentSlug', 'path'],
  slug: ['path', 'name'],
};

/** The catalogue's own shape: columns as in its tables or its API, in any spelling. */
const nativeReader = (kind: Kind, shape: Shape): FormatReader => {
  const names = Object.fromEntries(Object.keys(FIELDS[kind]).map((field) => [field, [field]]));
  const columns = createColumns({ ...names, ...EXTRA[kind] });
  const fieldNames = Object.keys({ ...names, ...EXTRA[kind] });

  const toDrafts = ({ line, fields }: SourceRecord, parent: Value | undefined): Draft[] => {
    for (const column of Object.keys(fields)) columns.uses(column);
    const values: Record<string, Value> = {};
    for (const name of fieldNames) {
      const value = columns.get(fields, name);
      if (value !== undefined) values[name] = value;
    }
    if (parent !== undefined) values.parent = parent;
    shape(values);
    const { children = [], ...own } = values;
    const below = Array.isArray(children) ? children.filter(isObject) : [];
    if (below.length === 0) return [{ line, values: own }];
    const self = { slug: own.slug ?? '' };
    return [{ line, values: own }, ...below.flatMap((child) => toDrafts({ line, fields: child }, self))];
  };

  return {
    read: (record) => toDrafts(record, undefined),
    columnOf: (field) => columns.columnOf([field, ...(INSTEAD[field] ?? [])].find(columns.has) ?? field),
    uses: columns.uses,
  };
};

const slugFromName: Shape = (values) => {
  if ((values.slug ?? '') !== '' || typeof values.name !== 'string') return;
  values.slug = slugify(values.name);
};

/** Takes `{ "amount": "9.90", "currencyCode": "EUR" }`, as the API answers it, and the two ways to name a category. */
const product: Shape = (values) => {
  slugFromName(values);
  for (const name of ['price', 'listPrice']) {
    const value = values[name];
    if (!isObject(value)) continue;
    values[name] = value.amount ?? '';
    values.currency ??= value.currencyCode ?? '';
  }
  const { categorySlug } = values;
  if (categorySlug !== undefined && categorySlug !== null && categorySlug !== '')
    values.category = { slug: categorySlug };
  delete values.categorySlug;
};

/** A path ends with the category itself; its parents are made where they are missing. */
const category: Shape = (values) => {
  const { path, parentSlug, ...own } = values;
  delete values.path;
  delete values.parentSlug;
  if (path !== undefined && path !== null && path !== '') {
    const names =
      typeof path === 'string' ? path.split('>').map((name) => name.trim()) : Array.isArray(path) ? path : [path];
    values.name = own.name ?? names.at(-1) ?? '';
    values.slug = own.slug || slugify(names.join('-'));
    values.parent = own.parent || (names.length > 1 ? names.slice(0, -1) : null);
    return;
  }
  slugFromName(values);
  if (parentSlug !== undefined) values.parent = parentSlug ? { slug: parentSlug } : null;
  // The API answers a parent as an object, and a text is the parent's slug.
  else if (typeof own.parent === 'string' && own.parent !== '') values.parent = { slug: own.parent };
};

const has = (columns: ReadonlySet<string>, ...names: string[]): boolean => {
  const plain = new Set([...columns].map(plainName));
  return names.some((name) => plain.has(name));
};

export const products: Format = {
  name: 'products',
  summary: 'products, with columns as in the table product or the API',
  kind: 'product',
  recognises: (columns) =>
    has(columns, 'slug', 'name') &&
    has(columns, 'price', 'stock', 'sales', 'tags', 'brand', 'listprice', 'category', 'publishedat'),
  open: () => nativeReader('product', product),
};

export const categories: Format = {
  name: 'categories',
  summary: 'categories, with columns as in the table category or the API, or a path such as Kitchen > Pans',
  kind: 'category',
  recognises: (columns) => has(columns, 'slug', 'name', 'path'),
  open: () => nativeReader('category', category),
};

export const notices: Format = {
  name: 'notices',
  summary: 'notices, with columns as in the table notice or the API',
  kind: 'notice',
  recognises: (columns) => has(columns, 'title') && has(columns, 'content', 'endsat', 'startsat'),
  open: () => nativeReader('notice', () => {}),
};
