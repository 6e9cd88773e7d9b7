import type pg from 'pg';
import type { TextRows } from '../fast-path/prepared-rows.ts';
import { joinColumns, RowText, type Text } from '../fast-path/row-text.ts';
import { Prisma } from './generated/client/client.ts';

/** Reads the value of a column from PostgreSQL's text. */
type ParseText = (text: string) => unknown;

interface Column {
  readonly name: string;
  /** https://www.postgresql.org/docs/current/catalog-pg-type.html: pg_type.oid */
  readonly typeOid: number;
  /** Where its text stands in the row. */
  readonly index: number;
}

/**
 * A row as PostgreSQL wrote it, column by column. Each read of a property parses its text, so that it looks like a row of Prisma's; what is
 * only written into a response never becomes a number, a date or an array (graphql/executor/columns.ts).
 */
export class StoredRow {
  readonly shape: RowShape;
  readonly text: RowText;

  constructor(shape: RowShape, text: RowText) {
    this.shape = shape;
    this.text = text;
  }

  /** The same row with other texts in some of its columns. */
  with(texts: Readonly<Record<string, Text>>): StoredRow {
    const { columns } = this.shape;
    const byIndex = new Map(Object.entries(texts).map(([name, text]) => [columns.get(name)?.index, text]));
    return this.shape.rowOf(this.text.with(byIndex));
  }
}

/** The columns of a kind of rows. */
export class RowShape {
  readonly columns: ReadonlyMap<string, Column>;
  readonly #columns: readonly Column[];
  readonly #parserOf: (typeOid: number) => ParseText;
  readonly #Row: new (
    text: RowText,
  ) => StoredRow;
  readonly #nested = new Map<string, RowShape>();

  constructor(columns: readonly Column[], parserOf: (typeOid: number) => ParseText) {
    this.#columns = columns;
    this.columns = new Map(columns.map((column) => [column.name, column]));
    this.#parserOf = parserOf;
    const shape = this;
    this.#Row = class extends StoredRow {
      constructor(text: RowText) {
        super(shape, text);
      }
    };
    for (const { name, typeOid, index } of columns) {
      const parse = parserOf(typeOid);
      Object.defineProperty(this.#Row.prototype, name, {
        get(this: StoredRow): unknown {
          const text = this.text.column(index);
          return text === null ? null : parse(text);
        },
      });
    }
  }

  /** Whether a result has the same columns in the same order. */
  hasColumns(fields: readonly pg.FieldDef[]): boolean {
    const columns = this.#columns;
    if (fields.length !== columns.length) return false;
    for (const [index, { name, dataTypeID }] of fields.entries()) {
      const column = columns[index];
      if (column?.typeOid !== dataTypeID || column.name !== name) return false;
    }
    return true;
  }

  rowOf(text: RowText): StoredRow {
    return new this.#Row(text);
  }

  /** Of the row that is part of others, in the columns whose names begin so: `category.id`, … */
  nested(name: string): RowShape {
    let shape = this.#nested.get(name);
    if (!shape) {
      const prefix = `${name}.`;
      const columns = this.#columns.filter((column) => column.name.startsWith(prefix));
      shape = new RowShape(
        columns.map((column) => ({ ...column, name: column.name.slice(prefix.length) })),
        this.#parserOf,
      );
      this.#nested.set(name, shape);
    }
    return shape;
  }
}

/** Makes rows of the results of statements. Equal columns have one shape. */
export const createRowReader = (
  parserOf: (typeOid: number) => ParseText,
): ((statement: object, result: TextRows) => StoredRow[]) => {
  const shapes = new Map<string, RowShape>();
  const lastOf = new WeakMap<object, RowShape>();

  const shapeOf = (statement: object, fields: readonly pg.FieldDef[]): RowShape => {
    const last = lastOf.get(statement);
    if (last?.hasColumns(fields)) return last;
    const key = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join();
    let shape = shapes.get(key);
    if (!shape) {
      const columns = fields.map(({ name, dataTypeID }, index) => ({ name, typeOid: dataTypeID, index }));
      shape = new RowShape(columns, parserOf);
      shapes.set(key, shape);
    }
    lastOf.set(statement, shape);
    return shape;
  };

  return (statement, { fields, rows }) => {
    const shape = shapeOf(statement, fields);
    return rows.map((row) => shape.rowOf(row instanceof RowText ? row : joinColumns(row)));
  };
};

/** A `Decimal` that is parsed once something computes with it: most amounts are only written. */
export class StoredDecimal {
  readonly #text: string;
  #decimal: Prisma.Decimal | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** PostgreSQL writes as many digits as the column has. */
  toFixed(places?: number): string {
    return places === 2 && this.#text.at(-3) === '.' ? this.#text : this.#parsed().toFixed(places);
  }

  // The parts of a Decimal: each of its methods begins with these.

  get s(): number {
    return this.#parsed().s;
  }

  get e(): number {
    return this.#parsed().e;
  }

  get d(): number[] {
    return this.#parsed().d;
  }

  #parsed(): Prisma.Decimal {
    this.#decimal ??= new Prisma.Decimal(this.#text);
    return this.#decimal;
  }
}

Object.setPrototypeOf(StoredDecimal.prototype, Prisma.Decimal.prototype);
Object.defineProperty(StoredDecimal.prototype, 'constructor', { value: Prisma.Decimal });
