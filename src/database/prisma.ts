import { AsyncLocalStorage } from 'node:async_hooks';
import type DataLoader from 'dataloader';
import { hasCode, ReadAgain } from './failures.ts';
import { Prisma, type PrismaClient } from './generated/client/client.ts';
import { TABLES } from './generated/tables.ts';
import { createSharedLoader } from './sql.ts';
import { type Read, readVisible, relationsOf, type VisibleBy, type VisibleRules } from './visible-rows.ts';

/** The time of an operation's reads, and the dependencies that say what its response depends on. */
interface Reader {
  /** The time by which rows are visible. */
  readonly now: Date;
  readonly dependencies: {
    readonly add: (table: string) => void;
    /** On tables that nobody can name. */
    readonly addUnknown: () => void;
    readonly showsUntilNextChange: () => void;
  };
}

/** Prisma for resolvers. Each client says of each read which tables it shows, to the operation that waits for it. */
export interface OperationClients {
  /** It shows what exists for a client, wherever its arguments lead: to select, to filter, to count. */
  readonly prisma: PrismaClient;
  /** It shows hidden rows, too. */
  readonly prismaWithHidden: PrismaClient;
  /** As {@link prisma}, for Pothos, which reads relations of a row that was read before. @throws ReadAgain where that is gone */
  readonly prismaForRelations: PrismaClient;
}

/** @param tables those that the gateway serves, with their rules */
export const visibleRules = (
  tables: readonly { readonly table: string; readonly visibleBy?: VisibleBy }[],
): VisibleRules =>
  new Map(
    Object.keys(TABLES).flatMap((model) => {
      const rules = tables.find(({ table }) => table === tableOf(model))?.visibleBy;
      return rules ? [[model, rules]] : [];
    }),
  );

/** The clients of all operations, and which operation each read is for. */
export class OperationPrisma {
  readonly clients: OperationClients;
  readonly #readers = new AsyncLocalStorage<Reader>();
  readonly #rules: VisibleRules;
  readonly #nowMs: () => number;
  /** The rows that an operation has read with hidden ones: Pothos may read their relations. */
  readonly #shownByName = new WeakMap<Reader, Set<string>>();

  /** @param nowMs the time of reads that no operation waits for */
  constructor(prisma: PrismaClient, rules: VisibleRules, nowMs: () => number) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.clients = {
      prisma: this.#extend(prisma, (read) => this.#readVisible(read)),
      prismaWithHidden: this.#extend(prisma, (read) => this.#readWithHidden(read)),
      prismaForRelations: this.#extend(prisma, (read) => this.#readRelations(read)),
    };
  }

  /**
   * Runs an operation: each read that it waits for is made for it. A read that several operations share (the batch of a shared loader) is
   * made for the first of them, so the callers of such a loader say themselves what they depend on.
   */
  during<Result>(reader: Reader, run: () => Result): Result {
    return this.#readers.run(reader, run);
  }

  #extend(prisma: PrismaClient, answer: (read: PrismaRead) => Promise<unknown>): PrismaClient {
    const client = prisma.$extends({
      query: {
        // Prisma's promises begin when they are awaited: so this runs in the context of the operation that awaits.
        $allOperations: ({ model, operation, args, query }) => {
          const reader = this.#readers.getStore();
          if (model === undefined) {
            reader?.dependencies.addUnknown();
            return query(args);
          }
          const run = async (ownArgs: unknown): Promise<unknown> => {
            if (reader) tell(reader, tablesOf(model, ownArgs), this.#rules);
            const result: unknown = await query(ownArgs as typeof args);
            assertWhole(model, result);
            return result;
          };
          return answer({ model, operation, args, reader, run });
        },
      },
    });
    // The extended client has the same methods.
    return client as unknown as PrismaClient;
  }

  async #readVisible(read: PrismaRead): Promise<unknown> {
    const result = await readVisible(read, this.#rules, read.reader?.now ?? new Date(this.#nowMs()));
    if (result === null && read.operation === 'findUniqueOrThrow') throw notFound(read.model);
    return result;
  }

  async #readWithHidden({ model, args, reader, run }: PrismaRead): Promise<unknown> {
    const result = await run(args);
    if (!reader) return result;
    const ids = this.#shownByName.get(reader) ?? new Set();
    this.#shownByName.set(reader, ids);
    forEachRow(model, result, (type, { id }) => {
      if (this.#rules.has(type)) ids.add(`${type} ${id}`);
    });
    return result;
  }

  #readRelations(read: PrismaRead): Promise<unknown> {
    const { model, reader } = read;
    const { where } = read.args as { readonly where?: { readonly id?: unknown } };
    const isFound = reader !== undefined && this.#shownByName.get(reader)?.has(`${model} ${where?.id}`) === true;
    return this.#readVisible({ ...read, isFound }).catch(throwVanished);
  }
}

interface PrismaRead extends Read {
  /** The operation that it is for. */
  readonly reader: Reader | undefined;
}

const tell = ({ dependencies }: Reader, tables: ReadonlySet<string>, rules: VisibleRules): void => {
  for (const table of tables) dependencies.add(table);
  for (const [model, { mayEnd }] of rules)
    if (mayEnd && tables.has(tableOf(model))) dependencies.showsUntilNextChange();
};

/** https://www.prisma.io/docs/orm/reference/error-reference */
const NOT_FOUND = 'P2025';

const notFound = (model: string) =>
  new Prisma.PrismaClientKnownRequestError(`No visible row of ${model} was found.`, {
    code: NOT_FOUND,
    clientVersion: Prisma.prismaVersion.client,
  });

const throwVanished = (error: unknown): never => {
  throw hasCode(error, NOT_FOUND)
    ? new ReadAgain('A row vanished before its relations were read', { cause: error })
    : error;
};

/** Prisma takes no more than 32,766 values in one statement. A power of two, for {@link inList}. */
export const MAX_KEYS = 2 ** 14;

/**
 * Keys for Prisma's `in`, the last one repeated until their number is a power of two: Prisma writes a parameter for each, so every length of a list
 * would be a statement of its own, which each connection prepares.
 */
export const inList = <Key>(keys: readonly Key[]): Key[] => {
  const last = keys.at(-1);
  if (last === undefined) return [];
  const length = 2 ** Math.ceil(Math.log2(keys.length));
  return [...keys, ...Array<Key>(length - keys.length).fill(last)];
};

type KeyOf<Column extends string> = Column extends 'id' ? number : string;

/** A loader for the whole process of rows by a column in which no value stands twice. @param find what `findMany` gives for a condition */
export const rowsBy = <Column extends string, Row extends { readonly [Name in Column]: KeyOf<Column> | null }>(
  column: Column,
  find: (where: { [Name in Column]: { in: KeyOf<Column>[] } }) => Promise<readonly Row[]>,
): DataLoader<KeyOf<Column>, Row | null> =>
  createSharedLoader({
    read: (keys: KeyOf<Column>[]) => find({ [column]: { in: inList(keys) } } as Parameters<typeof find>[0]),
    keyOf: (row) => row[column] as KeyOf<Column>,
  });

/** The tables of a model and of all relations that arguments name, wherever they do: to select, filter, sort or count. */
export const tablesOf = (model: string, args: unknown, tables = new Set<string>()): ReadonlySet<string> => {
  tables.add(tableOf(model));
  if (typeof args !== 'object' || args === null) return tables;
  const relations = relationsOf(model);
  for (const [key, value] of Object.entries(args)) {
    const relation = relations.find(({ name }) => name === key);
    if (relation && value !== undefined && value !== false) {
      const { type, relationName, isList } = relation;
      // A relation of many to many without a model of its own has a table of Prisma's.
      const isManyToMany = isList && isListOf(type, relationName);
      if (isManyToMany) tables.add(`_${relationName}`);
      tablesOf(type, value, tables);
    } else if (key === '_count' && value === true) {
      for (const { name, isList } of relations) if (isList) tablesOf(model, { [name]: true }, tables);
    } else tablesOf(model, value, tables);
  }
  return tables;
};

type Row = Readonly<Record<string, unknown>>;

/** Calls back for each row of a result, and of the relations that were read with it. */
const forEachRow = (model: string, result: unknown, callback: (model: string, row: Row) => void): void => {
  if (Array.isArray(result)) for (const row of result) forEachRow(model, row, callback);
  else if (typeof result === 'object' && result !== null) {
    const row = result as Row;
    callback(model, row);
    for (const { name, type } of relationsOf(model)) forEachRow(type, row[name], callback);
  }
};

/**
 * Prisma reads relations by statements of their own. A row that must be there is null where it was deleted between two of them: the reader of a
 * required relation would fail at it.
 * @throws ReadAgain
 */
const assertWhole = (model: string, result: unknown): void =>
  forEachRow(model, result, (type, row) => {
    const vanished = relationsOf(type).find(({ name, isRequired }) => isRequired && row[name] === null);
    if (vanished) throw new ReadAgain(`The row of ${type}.${vanished.name} vanished while it was read.`);
  });

const isListOf = (model: string, relationName: string | undefined): boolean =>
  relationsOf(model)
    .filter((relation) => relation.relationName === relationName)
    .every(({ isList }) => isList);

const tableOf = (model: string): string => (TABLES as Readonly<Record<string, string>>)[model] ?? model;
