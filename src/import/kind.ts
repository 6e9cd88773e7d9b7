import { type Field, type Fields, slugOfName } from './fields.ts';
import { createColumns, type Draft, type Format, type FormatReader, plainName } from './formats/format.ts';
import { isObject, type Problem, type SourceRecord, type Value } from './record.ts';

/** One kind of thing that files hold, with a table of its own. A feature describes its kind, and the commands hand all of them to the importer. */
export interface ImportKind {
  /** Formats name the kind by its table. */
  readonly table: string;
  /** For reports, and the name of the kind's own format. */
  readonly plural: string;
  readonly fields: Fields;
  /** The field that identifies a row: `slug`, or one that {@link identity} explains. */
  readonly key: string;
  /** For a kind whose rows have no slug. */
  readonly identity?: Identity;
  /** The column of its table that refers to a category. The stage holds a path in `category_path` instead. */
  readonly categoryColumn?: string;
  /** What no single field can tell, as a fault of the field named. */
  readonly check?: (
    parsed: Readonly<Record<string, string | null>>,
  ) => { readonly field: string; readonly problem: Problem } | undefined;
  readonly native: NativeColumns;
}

/** SQL that tells rows apart: `s` and `other` are staged, `t` is in the table. */
export interface Identity {
  readonly isSame: string;
  /** @param isGiven gives the condition that the file speaks of a field */
  readonly isFound: (isGiven: (field: string) => string) => string;
  /** The order of rows found for one that is staged, of which the first is taken. */
  readonly order: string;
}

/** How files in the kind's own format are read: with columns as in its table or the API. */
export interface NativeColumns {
  readonly summary: string;
  /** Whether a file is of this kind. @param has tells whether it has one of some columns, named in lower case without separators */
  readonly recognises: (has: (...names: string[]) => boolean) => boolean;
  /** Columns beside the fields, each with the names that it has in files. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** Which of them may speak for a field. */
  readonly instead?: Readonly<Record<string, readonly string[]>>;
  /** Brings the columns of a row into the fields. @returns the name that the slug was made from, if it was */
  readonly shape?: (values: Record<string, Value>) => string | undefined;
}

/** @throws where no kind has this table: a format names one that was not handed to the importer */
export const kindOf = (kinds: readonly ImportKind[], table: string): ImportKind => {
  const kind = kinds.find((each) => each.table === table);
  if (!kind) throw new Error(`there is no import kind for the table ${table}`);
  return kind;
};

/** Categories refer to rows of their own table, so they are merged as a whole. */
export const isTree = ({ table }: ImportKind): boolean => table === 'category';

/** The bit that says that the file speaks of a field, which stays as it is otherwise. Bits follow the order of the fields. */
export const givenBit = ({ fields }: ImportKind, name: string): number => 2 ** Object.keys(fields).indexOf(name);

export const isReference = ({ column }: Field): boolean => column === 'category_path';

/** A kind's own format: columns as in its table or the API, in any spelling. */
export const nativeFormat = (kind: ImportKind): Format => ({
  name: kind.plural,
  summary: kind.native.summary,
  kind: kind.table,
  recognises: (columns) => {
    const plain = new Set([...columns].map(plainName));
    return kind.native.recognises((...names) => names.some((name) => plain.has(name)));
  },
  open: () => createReader(kind),
});

const createReader = ({ fields: ownFields, native }: ImportKind): FormatReader => {
  const { extra = {}, instead = {}, shape = () => undefined } = native;
  const names = { ...Object.fromEntries(Object.keys(ownFields).map((field) => [field, [field]])), ...extra };
  const columns = createColumns(names);

  const toDrafts = ({ line, fields }: SourceRecord, parent: Value | undefined): Draft[] => {
    for (const column of Object.keys(fields)) columns.uses(column);
    const values: Record<string, Value> = {};
    for (const name of Object.keys(names)) {
      const value = columns.get(fields, name);
      if (value !== undefined) values[name] = value;
    }
    if (parent !== undefined) values.parent = parent;
    const slugFrom = shape(values);
    const { children = [], ...own } = values;
    const below = Array.isArray(children) ? children.filter(isObject) : [];
    const draft = { line, values: own, slugFrom };
    if (below.length === 0) return [draft];
    const self = slugFrom === undefined ? { slug: own.slug ?? '' } : [...toSteps(own.parent), own.name ?? ''];
    return [draft, ...below.flatMap((child) => toDrafts({ line, fields: child }, self))];
  };

  return {
    read: (record) => toDrafts(record, undefined),
    columnOf: (field) => columns.columnOf([field, ...(instead[field] ?? [])].find(columns.has) ?? field),
    uses: columns.uses,
  };
};

/** Gives a row without a slug one made from its name. @returns that name */
export const slugFromName = (values: Record<string, Value>): string | undefined => {
  if ((values.slug ?? '') !== '' || typeof values.name !== 'string') return undefined;
  values.slug = slugOfName(values.name);
  return values.name;
};

/** The steps of a path, which `categoryPath` reads. */
export const toSteps = (path: Value | undefined): readonly Value[] => {
  if (path === undefined || path === null || path === '') return [];
  if (Array.isArray(path)) return path;
  return typeof path === 'string' ? path.split('>').map((name) => name.trim()) : [path];
};
