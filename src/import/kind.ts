import type { ClientBase } from 'pg';
import type { Parse } from './fields/parse.ts';
import { mergeStock, plain, SOME, shortText, slug, stock, timestamp } from './fields/values.ts';
import type { Draft, Format, Recognises } from './formats/format.ts';
import type { ReadOptions } from './options.ts';
import type { Prune } from './prune.ts';
import type { Fault, Place, Value } from './record.ts';

/**
 * How rows of one table are imported: how they are read, and the steps of their own when they are written. Each feature describes its own kind, in
 * `<name>.import.ts`, and longer steps beside it, in `<name>.steps.ts`; what is written of a row, and what is checked before, is what its kind says.
 */
export interface ImportKind {
  /** Formats refer to the kind by this name. */
  readonly table: string;
  /** For messages, and the name of the kind's native format. */
  readonly plural: string;
  /** The fields of the table, under the names that formats use. */
  readonly fields: Readonly<Record<string, Field>>;
  /** The field that identifies a row: `slug`, or one that {@link identity} explains. */
  readonly key: string;
  /** Another field that may identify a row, where `--key` names it. */
  readonly otherKey?: string;
  /** @default the value of {@link key} */
  readonly identity?: Identity;
  /** SQL for whether `t` is the row of the table that was found for the staged row `s`. @default by its id */
  readonly isRow?: string;
  /** SQL for a new row that another writer has inserted meanwhile. @default it is refused */
  readonly onConflict?: string;
  /** The kind of the rows that a row may hold, as a product holds its variants. */
  readonly inner?: ImportKind;
  /** Checks a row that another row holds. @param earlier what the rows before this one have noted */
  readonly checkInner?: (row: StagedRow, outer: StagedRow, earlier: Set<string>, reject: Reject) => void;
  /** Whether a rejected row, whose key can be read, keeps its slug from others. */
  readonly keepsRejected?: boolean;
  /** Checks several fields of a row together, and adds those that follow from others. */
  readonly check?: (row: StagedRow, reject: Reject) => void;
  /** Adds what the operator, or the format, says of rows that do not say it, and what follows from what they say. */
  readonly complete?: (draft: Draft, context: ImportContext) => void;
  readonly native: NativeColumns;
  /** @default rows of one table, which refer to no other of the file */
  readonly write?: WriteSteps;
}

export interface Field {
  /** The column of the staging table. */
  readonly column: string;
  /** What a reference is stored as: the column of the catalogue's table, and SQL for the id that the staged row `s` names. @default as staged */
  readonly reference?: { readonly column: string; readonly id: string };
  readonly type: string;
  readonly parse: Parse;
  /** Whether a blank value is stored as null; otherwise it means the default. */
  readonly isNullable?: boolean;
  /** Whether a new row must have it. An existing row keeps its value where that of the file is blank. */
  readonly isRequired?: boolean;
  /** Whether a blank value says nothing. */
  readonly keepsIfBlank?: boolean;
  /** SQL for what an existing row `t` has where the value is blank. @default as a new row whose file has none */
  readonly cleared?: string;
  /** Whether each row has another value, so that two rows may change places with theirs. */
  readonly isUnique?: boolean;
  /** Of a field with the texts of others in further languages: which these are. */
  readonly texts?: readonly string[];
  /** SQL for whether the database derives it from rows that the row `t` holds; then those of the file are read, and not its own value. */
  readonly derivedIf?: string;
  /** Whether an existing row keeps its value. */
  readonly isInsertOnly?: boolean;
  /** Whether it only finds the row, and is not written. */
  readonly isKeyOnly?: boolean;
  /** The value of a new row whose file has none. @default that of the table */
  readonly assumed?: (options: ReadOptions) => string;
  /** SQL for what is stored, where that depends on the current value, which is null for a new row. @default the staged value */
  readonly merge?: (staged: string, current: string) => string;
  /** A field whose value this one has to exceed; otherwise it is stored as null. */
  readonly mustExceed?: string;
}

/** SQL conditions that identify a row: `s` and `other` are staged rows, `t` is the catalogue's. */
export interface Identity {
  readonly isSame?: string;
  readonly isFound?: string;
  /** Where several rows of the catalogue are found, the first in this order is taken. @default t.id */
  readonly order?: string;
}

/** Reports why a field's value is refused. @param value if it is a part of that */
export type Reject = (field: string, reason: string, value?: Value) => void;

/** How files in the kind's native format are read: with columns as in its table or in the API. */
export interface NativeColumns {
  readonly summary: string;
  /** The columns of a file with new rows, for the message on a file of no known format. */
  readonly needs: string;
  readonly recognises: Recognises;
  /** Other names of fields. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** Columns that may supply a field's value. */
  readonly alternatives?: Readonly<Record<string, readonly string[]>>;
  /** Turns the columns of a row into fields, also of one that another row holds. */
  readonly shape?: (values: Record<string, Value>) => void;
}

/** A row by the columns of its staging table, as JSON has them. */
export interface StagedRow extends Place {
  readonly present: string[];
  readonly if_new: string[];
  readonly is_rejected: boolean;
  /** The slug that is made from the name, where the file has none: a new row gets it, or one like it that is free. */
  slug_base?: string | undefined;
  readonly option_names?: readonly string[];
  readonly option_values?: readonly string[];
  [column: string]: unknown;
}

/** Staged rows by their ordinals, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How many rows were written. */
export interface Written {
  created: number;
  changed: number;
  unchanged: number;
}

/** What was done with the rows of a file. */
export interface Counts extends Written {
  /** What was done with variants inside products; undefined if none were said. */
  variants?: Written & { deleted: number };
  /** Categories that were created because paths lead through them. */
  createdCategories: number;
}

/** What each step of an import is given: the options, the file, and whom to tell. */
export interface ImportContext extends ReadOptions {
  readonly client: ClientBase;
  readonly kind: ImportKind;
  readonly fileFormat: Format;
  /** Keeps rows that are in a staging table from being taken off sale after the run; undefined if none are. */
  readonly prune?: Pick<Prune, 'keep' | 'isGone'> | undefined;
  /** The file's name for a field. */
  readonly columnOf: (field: string, draft?: Pick<Draft, 'columns'>) => string;
  readonly onFault: (fault: Fault) => void;
  /** Tells the operator something of a file that is imported. */
  readonly onWarning: (text: string) => void;
  /** Called with what is being done, and how many rows are through it. */
  readonly onProgress: (step: string, rows: number) => void;
}

/** Why the database refuses a staged row. */
export interface Refused {
  readonly ordinal: number;
  /** The field at fault, if it is one. */
  readonly field: string | null;
  readonly value: string | null;
  readonly reason: string;
}

/** What a kind does itself with its staged rows. A step that rejects rows deletes them from the staging table, and reports them. */
export interface WriteSteps {
  /** Finds the rows of the catalogue that the staged ones are, and notes their ids. @default by the key */
  readonly find?: (context: ImportContext) => Promise<unknown>;
  /** Rejects rows, after what is checked of every kind. */
  readonly reject?: (context: ImportContext) => Promise<unknown>;
  /** Prepares the writing of those that are left. */
  readonly prepare?: (context: ImportContext) => Promise<RangeSteps>;
}

/** What is done beside the writing of the rows themselves. */
export interface RangeSteps {
  /** Rejects rows, also because of others that are rejected: it is called until it rejects none. @returns how many */
  readonly check?: () => Promise<number>;
  /** Before the first range. */
  readonly begin?: () => Promise<unknown>;
  /** Before and after the rows of each range. */
  readonly before?: (range: Range, counts: Counts) => Promise<unknown>;
  readonly after?: (range: Range, counts: Counts) => Promise<unknown>;
}

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
// A row without one has one made from its name by a step of its kind (`slug_base`): of a kind without such a step each new row needs one.
export const SLUG = field('slug', 'text', slug, { keepsIfBlank: true, isUnique: true });
export const STOCK = field('stock', 'int', stock, {
  merge: mergeStock,
  assumed: ({ stock: pieces = SOME }) => String(pieces),
});
export const CREATED_AT = field('created_at', 'timestamptz', timestamp, { isInsertOnly: true });
export const UPDATED_AT = field('updated_at', 'timestamptz', timestamp, { keepsIfBlank: true });
/** The moment from which a row is shown: by default, that at which it was stored. */
export const shownFrom = (column: string): Field =>
  field(column, 'timestamptz', timestamp, { cleared: 't.created_at' });

/** The conditions by which two rows of a kind are the same, in the stage and in the catalogue. */
export const identityOf = (kind: ImportKind): Required<Identity> => {
  const column = columnIn(kind, kind.key);
  return {
    isSame: `other.${column} = s.${column}`,
    isFound: `t.${column} = s.${column}`,
    order: 't.id',
    ...kind.identity,
  };
};

/** The column of the staging table for a field. */
export const columnIn = ({ fields }: ImportKind, field: string): string => fields[field]?.column ?? field;

/** The field of a column of the staging table or the catalogue; the column itself if there is none. */
export const fieldOf = ({ fields }: ImportKind, column: string): string =>
  Object.keys(fields).find((name) => fields[name]?.column === column) ?? column;

/** What one row is called in a message. */
export const singularOf = ({ table }: ImportKind): string => table.replace(/^.*_/, '');
