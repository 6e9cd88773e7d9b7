import { slug, slugOf } from './fields/slug.ts';
import {
  INT32_MAX,
  integer,
  type Key,
  mergeStock,
  type Parse,
  plain,
  type ReadOptions,
  SOME,
  shortText,
  stock,
  timestamp,
} from './fields/values.ts';
import type { Value } from './record.ts';
import type { StagedRow } from './write/stage.ts';

/** How rows of one table are imported. Each feature describes its own kind, and the commands pass all of them to the importer. */
export interface ImportKind {
  /** Formats refer to the kind by this name. */
  readonly table: string;
  /** For messages, and the name of the kind's native format. */
  readonly plural: string;
  /** The fields of the table, under the names that formats use. */
  readonly fields: Readonly<Record<string, Field>>;
  /** The field that identifies a row: `slug`, or one that {@link identity} explains. */
  readonly key: string;
  /** The columns of a file that may identify a row. @default the one of {@link key} */
  readonly keys?: readonly Key[];
  /** For a row that no slug identifies. */
  readonly identity?: Identity;
  /** The table's column that refers to a category. The staging table has a path in `category_path` instead. */
  readonly categoryColumn?: string;
  /** Checks several fields of a row together. */
  readonly check?: (row: StagedRow) => { readonly field: string; readonly reason: string } | undefined;
  /** Derives values that the file does not have from others. */
  readonly complete?: (values: Record<string, Value>, options: ReadOptions) => void;
  readonly native: NativeColumns;
}

export interface Field {
  /** The column of the staging table; the catalogue's table has the same, except for a reference to a category. */
  readonly column: string;
  readonly type: string;
  readonly parse: Parse;
  /** Whether a blank value is stored as null; otherwise it means the default. */
  readonly isNullable?: boolean;
  /** Whether a new row must have it. */
  readonly isRequired?: boolean;
  /** Whether the database keeps it, where a product has variants. */
  readonly isOfVariants?: boolean;
  /** Whether an existing row keeps its value. */
  readonly isInsertOnly?: boolean;
  /** Whether it only finds the row, and is not written. */
  readonly isKeyOnly?: boolean;
  /** The value of a new row whose file has none. @default that of the table */
  readonly assumed?: (options: ReadOptions) => string;
  /** SQL for what is stored, where that depends on the current value, which is null for a new row. @default the staged value */
  readonly merge?: (staged: string, current: string) => string;
  /**
   * SQL for what an existing row `t` keeps where the file has a value for new rows only, which the staged row `s` has. @default the current value
   */
  readonly keep?: string;
  /** A field whose value this one has to exceed; otherwise it is stored as null. */
  readonly mustExceed?: string;
}

/** SQL conditions that identify a row: `s` and `other` are staged rows, `t` is the catalogue's. */
export interface Identity {
  readonly isSame: string;
  /** @param isPresent returns the condition that the file has a field. @default variants have ways of their own */
  readonly isFound?: (isPresent: (field: string) => string) => string;
  /** Where several rows of the catalogue are found, the first in this order is taken. @default t.id */
  readonly order?: string;
  /** Why a row that the catalogue does not have is rejected. @default such a row is new */
  readonly whyUnknown?: string;
}

/** How files in the kind's native format are read: with columns as in its table or in the API. */
export interface NativeColumns {
  readonly summary: string;
  readonly recognises: Recognises;
  /** Columns beside the fields. */
  readonly extra?: readonly string[];
  /** Extra columns that may supply a field's value. */
  readonly alternatives?: Readonly<Record<string, readonly string[]>>;
  /** Turns the columns of a row into fields. @returns the name from which a missing slug was made */
  readonly shape?: (values: Record<string, Value>, options: ReadOptions) => string | undefined;
}

/**
 * Recognises a file. Columns are in lower case without separators.
 * @param has tells whether the file has one of some columns
 * @param hasNoOther tells whether the file has no column beside the format's own and some others
 */
export type Recognises = (has: HasColumns, hasNoOther: HasColumns) => boolean;

type HasColumns = (...columns: string[]) => boolean;

export const field = (column: string, type: string, parse: Parse, options: Partial<Field> = {}): Field => ({
  column,
  type,
  parse,
  ...options,
});

export const nullable = { isNullable: true };
export const required = { isRequired: true };

// A longer one might not fit into an index, whose entries have at most 2,704 bytes.
export const NAME = field('name', 'text', plain(shortText(600)), required);
// A row without one has one made from its name.
export const SLUG = field('slug', 'text', slug);
export const STOCK = field('stock', 'int', stock, {
  merge: mergeStock,
  assumed: ({ stock: pieces = SOME }) => String(pieces),
});
export const CREATED_AT = field('created_at', 'timestamptz', timestamp, { isInsertOnly: true });
export const UPDATED_AT = field('updated_at', 'timestamptz', timestamp);

/** The column of the staging table for a field. */
export const columnIn = ({ fields }: ImportKind, field: string): string => fields[field]?.column ?? field;

export const isCategoryReference = ({ column }: Field): boolean => column === 'category_path';

export const categoryFieldOf = ({ fields }: ImportKind): string | undefined =>
  Object.entries(fields).find(([, field]) => isCategoryReference(field))?.[0];

export const isProductKind = ({ table }: ImportKind): boolean => table === 'product';

/** What one row is called in a message. */
export const singularOf = ({ table }: ImportKind): string => table.replace(/^.*_/, '');

export const isVariantKind = ({ table }: ImportKind): boolean => table === 'product_variant';

/** Categories refer to their own table, so they are written all together. */
export const isCategoryKind = ({ table }: ImportKind): boolean => table === 'category';

const ID = field('id', 'int', integer(1, INT32_MAX), { isKeyOnly: true });

/** The kind with its rows found by another column, if it can be that one. */
export const withKey = (kind: ImportKind, key: Key = 'slug'): ImportKind => {
  if (key === 'slug' || !kind.keys?.includes(key)) return kind;
  const { recognises } = kind.native;
  const native: NativeColumns = {
    ...kind.native,
    recognises: (has, hasNoOther) =>
      recognises((...columns) => has(...columns, ...(columns.includes('slug') ? [key] : [])), hasNoOther),
  };
  const identity: Identity = { isSame: `other.${key} = s.${key}`, isFound: () => `t.${key} = s.${key}` };
  if (key === 'sku') return { ...kind, key, identity, native };
  const whyUnknown = `is the id of no ${kind.table}: ids are Vitrine's own. Those of another system are found by --key sku --map sku=id`;
  return { ...kind, key, identity: { ...identity, whyUnknown }, native, fields: { id: ID, ...kind.fields } };
};

/** Gives a row without a slug one made from its name, unless its id finds it. @returns the name, if that made the slug */
export const addMissingSlug = (values: Record<string, Value>, options: ReadOptions): string | undefined => {
  if (options.key === 'id' || (values.slug ?? '') !== '' || typeof values.name !== 'string') return undefined;
  const { slug = '', slugSource } = slugOf(values.name);
  values.slug = slug;
  return slugSource;
};
