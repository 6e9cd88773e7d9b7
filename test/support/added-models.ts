import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { createTestDatabase } from './database.ts';
import { handle, JSON_HEADERS, statementCount } from './gateway.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const MODELS = 'test/graphql/added-models';
const QUERIES = ['brand', 'seller'].map((name) => `${MODELS}/${name}.query.ts`);

/** The tables of the added models, as `vitrine_watch` takes them. */
export const ADDED_TABLES = ['maker', 'brand_of_shop', '"Fair"', '"_BrandToFair"'];

/** Fields of the shop's own models, with the columns of `tables.sql`. */
const ADDED_FIELDS: Readonly<Record<string, string>> = {
  Product: `
    weightGrams Int? @map("weight_g")
    sellerId Int? @map("seller_id")
    seller Seller? @relation(fields: [sellerId], references: [id])
    reviews Review[]
    awards Award[]
  `,
  Notice: `
    sellerId Int? @map("seller_id")
    seller Seller? @relation(fields: [sellerId], references: [id])
    awards Award[]
  `,
};

/** A copy of the project that has further models, too, and their queries. */
export const copyWithAddedModels = async () => {
  await mkdir(path.join(ROOT, 'data'), { recursive: true });
  const copy = await mkdtemp(path.join(ROOT, 'data/added-models-'));
  afterAll(() => rm(copy, { recursive: true }));
  for (const name of ['src', 'prisma', 'packaging', 'package.json', 'tsconfig.json', MODELS])
    await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  const [schema, models] = await Promise.all(
    ['prisma', MODELS].map((folder) => readFile(path.join(ROOT, folder, 'schema.prisma'), 'utf8')),
  );
  const shop = schema?.replace(/^model (\w+) \{\n/gm, (line, model) => `${line}${ADDED_FIELDS[model] ?? ''}`);
  await writeFile(path.join(copy, 'prisma/schema.prisma'), `${shop}${models}`);
  execFileSync(process.execPath, [path.join(copy, 'packaging/generate-client.ts')]);
  for (const name of QUERIES) {
    const queries = await readFile(path.join(ROOT, name), 'utf8');
    await writeFile(path.join(copy, name), queries.replace(/^.*@ts-nocheck.*\n/, ''));
  }

  const { readConfig } = await import(`${copy}/src/config/config.ts`);
  const { createGateway } = await import(`${copy}/src/gateway.ts`);
  for (const name of QUERIES) await import(`${copy}/${name}`);

  /** Another gateway of the copy. */
  const open = async (url: string, environment: Readonly<Record<string, string>> = {}) => {
    const gateway = await createGateway(readConfig(environment), url, pino({ level: 'silent' }));
    const respond = async (method: string, target: string, body?: string, headers = {}) => {
      const {
        status,
        headers: answered,
        body: bytes,
      } = await handle(gateway.app, { method, target, headers: { ...JSON_HEADERS, ...headers }, body });
      const text =
        typeof bytes === 'string' ? Buffer.from(bytes, 'latin1').toString() : Buffer.from(bytes ?? '').toString();
      return { status, text, cacheStatus: answered['cache-status'], cacheControl: answered['cache-control'] };
    };
    return {
      get: (target: string) => respond('GET', target),
      ask: (selection: string, headers?: Readonly<Record<string, string>>) =>
        respond('POST', '/graphql', JSON.stringify({ query: `{ ${selection} }` }), headers),
      statementCount: (): number => statementCount(gateway),
      [Symbol.asyncDispose]: (): Promise<void> => gateway.close(),
    };
  };

  return {
    open,
    /** What the compiler says of the queries; empty where their types hold. */
    checkTypes: async (): Promise<string> => {
      await writeFile(
        path.join(copy, 'tsconfig.queries.json'),
        JSON.stringify({ extends: './tsconfig.json', include: [...QUERIES, 'src/gateway.ts'], exclude: [] }),
      );
      const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
      try {
        return execFileSync(process.execPath, [tsc, '-p', 'tsconfig.queries.json'], { cwd: copy, encoding: 'utf8' });
      } catch (error) {
        return (error as { stdout: string }).stdout;
      }
    },
  };
};

/** A database with the tables of the added models. @param watched those that a migration watches */
export const createAddedTables = async (watched: readonly string[]) => {
  const database = await createTestDatabase();
  await database.sql(await readFile(path.join(ROOT, MODELS, 'tables.sql'), 'utf8'));
  for (const table of watched) await database.sql('select vitrine_watch($1)', [table]);
  return database;
};
