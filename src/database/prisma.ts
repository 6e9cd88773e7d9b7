import { AsyncLocalStorage } from 'node:async_hooks';
import { Prisma, type PrismaClient } from './generated/client/client.ts';
import { getDatamodel } from './generated/pothos.ts';
import { TABLES } from './generated/tables.ts';

/** Receives what the reads of an operation depend on. */
interface ReadObserver {
  readonly dependsOn: (table: string) => void;
  /** On tables that nobody can name. */
  readonly dependsOnUnknown: () => void;
}

/** A client that says of each read which tables it shows, to the operation that waits for it. */
export interface ReportingPrisma {
  readonly client: PrismaClient;
  /**
   * Runs an operation: whatever it waits for is read for it. What several operations share (the batch of a shared loader) is read for the first of
   * them, so the callers of such a loader say themselves what they depend on.
   */
  readonly during: <Result>(observer: ReadObserver, run: () => Result) => Result;
}

export const reportReads = (prisma: PrismaClient): ReportingPrisma => {
  const operations = new AsyncLocalStorage<ReadObserver>();
  // Prisma's promises begin when they are awaited: so this runs in the context of the operation that awaits.
  const client = prisma.$extends({
    query: {
      $allOperations: async ({ model, args, query }) => {
        const observer = operations.getStore();
        if (observer && model) for (const table of tablesOf(model, args)) observer.dependsOn(table);
        else observer?.dependsOnUnknown();
        const result: unknown = await query(args);
        if (model) assertWhole(model, result);
        return result;
      },
    },
  });
  return {
    // The extended client has the same methods.
    client: client as unknown as PrismaClient,
    during: (observer, run) => operations.run(observer, run),
  };
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

const { models } = getDatamodel().datamodel;

/** The tables of a model and of all relations that arguments name, wherever they do: to select, filter, sort or count. */
export const tablesOf = (model: string, args: unknown): ReadonlySet<string> => {
  const tables = new Set<string>();
  addTables(model, args, tables);
  return tables;
};

const addTables = (model: string, args: unknown, tables: Set<string>): void => {
  tables.add(tableOf(model));
  if (typeof args !== 'object' || args === null) return;
  const relations = models[model]?.fields.filter(({ kind }) => kind === 'object') ?? [];
  for (const [key, value] of Object.entries(args)) {
    const relation = relations.find(({ name }) => name === key);
    if (relation && value !== undefined && value !== false) {
      const { type, relationName, isList } = relation;
      // A relation of many to many without a model of its own has a table of Prisma's.
      const isManyToMany = isList && isListOf(type, relationName);
      if (isManyToMany) tables.add(`_${relationName}`);
      addTables(type, value, tables);
    } else if (key === '_count' && value === true) {
      for (const { name, isList } of relations) if (isList) addTables(model, { [name]: true }, tables);
    } else addTables(model, value, tables);
  }
};

/**
 * Prisma reads relations by statements of their own. A row that must be there is null where it was deleted between two of them: the reader of a
 * required relation would fail at it.
 * @throws PrismaClientKnownRequestError P2025
 */
const assertWhole = (model: string, result: unknown): void => {
  if (Array.isArray(result)) for (const row of result) assertWhole(model, row);
  else if (typeof result === 'object' && result !== null) {
    for (const { name, kind, type, isRequired } of models[model]?.fields ?? []) {
      const value = kind === 'object' ? (result as Readonly<Record<string, unknown>>)[name] : undefined;
      if (value === null && isRequired) throw vanished(`${model}.${name}`);
      assertWhole(type, value);
    }
  }
};

const vanished = (relation: string) =>
  new Prisma.PrismaClientKnownRequestError(`The row of ${relation} vanished while it was read.`, {
    code: 'P2025',
    clientVersion: Prisma.prismaVersion.client,
  });

const isListOf = (model: string, relationName: string | undefined): boolean =>
  models[model]?.fields.filter((field) => field.relationName === relationName).every(({ isList }) => isList) ?? false;

const tableOf = (model: string): string => (TABLES as Readonly<Record<string, string>>)[model] ?? model;
