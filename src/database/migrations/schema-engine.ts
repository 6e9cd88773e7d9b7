import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

// The part of the global used here: TypeScript has it only among the types of a browser.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

// The package's own entry imports the .wasm as a module, which Node still warns of. As a top-level await this happens once a
// process, as it must: the bindings keep the instance in a variable, and a second one would pull it from under the first.
const entry = pathToFileURL(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'));

// The engine leaves a timer of ten seconds behind, for a lock that it has long got: nobody's process is to stay for it.
const setTimer = (handler: () => void, ms: number): NodeJS.Timeout => setTimeout(handler, ms >>> 0).unref();
const imports = Object.fromEntries(
  Object.entries(bindings).map(([name, value]) => [name, name.startsWith('__wbg_setTimeout_') ? setTimer : value]),
);
const { instance } = await WebAssembly.instantiate(await readFile(new URL('schema_engine_bg.wasm', entry)), {
  './schema_engine_bg.js': imports,
});
bindings.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

export interface SchemaEngineOptions {
  /** Left open by the engine, which needs no more than one connection of it. */
  readonly pool: pg.Pool;
  /** The PostgreSQL schema of the tables. */
  readonly schema: string;
  /** Runs the whole script of a migration. What it throws is recorded in `_prisma_migrations`. */
  readonly runScript: (script: string) => Promise<void>;
  /** The text of schema.prisma, which only a diff wants (for its preview features). */
  readonly datamodel?: string;
}

/**
 * Prisma's schema engine, the same that `prisma migrate` downloads as a binary, so that both keep one `_prisma_migrations`.
 * To import this file is to compile 5 MB of WebAssembly (20 ms): do it only when there is work.
 *
 * @throws what the first connection throws
 */
export const openSchemaEngine = (options: SchemaEngineOptions): Promise<bindings.SchemaEngine> =>
  bindings.SchemaEngine.new(
    { datamodels: options.datamodel === undefined ? undefined : [['schema.prisma', options.datamodel]] },
    () => {}, // Its log repeats each script whole.
    bindMigrationAwareSqlAdapterFactory(new SchemaEngineAdapter(options)),
  );

const CHAR_COLUMNS: readonly string[] = ['constraint_type', 'confdeltype', 'confupdtype'];

class SchemaEngineAdapter extends PrismaPg {
  readonly #runScript: SchemaEngineOptions['runScript'];

  constructor({ pool, schema, runScript }: SchemaEngineOptions) {
    super(pool, { schema });
    this.#runScript = runScript;
  }

  override async connect() {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);

    return Object.assign(adapter, {
      // PrismaPg's own cuts a script at every semicolon, also inside the body of a function, and runs the pieces one by one.
      executeScript: (script: string) =>
        this.#runScript(script).catch((error: unknown) => {
          throw error instanceof pg.DatabaseError ? toAdapterError(error) : error;
        }),

      // The catalogue's columns of the type "char", which PrismaPg does not know and the engine insists on. Only a diff reads them.
      queryRaw: async (query: SqlQuery) => {
        const result = await queryRaw({ ...query, sql: query.sql.replace(/\bcon(str)?\.con\w*type\b/g, '$&::text') });
        for (const [index, name] of result.columnNames.entries()) {
          if (CHAR_COLUMNS.includes(name)) result.columnTypes[index] = ColumnTypeEnum.Character;
        }
        return result;
      },
    });
  }
}

const toAdapterError = ({ code, severity, message, detail, column, hint }: pg.DatabaseError): DriverAdapterError =>
  new DriverAdapterError({
    kind: 'postgres',
    code: code ?? 'XX000',
    severity: severity ?? 'ERROR',
    message,
    detail,
    column,
    hint,
  });
