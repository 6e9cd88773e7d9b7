import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type SqlQuery } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';

// The part of the global used here: TypeScript has it only among the types of a browser.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

// The package's own entry imports the .wasm as a module, which Node still warns of. The bindings keep the instance in a variable: it is made once a process.
const entry = pathToFileURL(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
const { instance } = await WebAssembly.instantiate(await readFile(new URL('schema_engine_bg.wasm', entry)), {
  './schema_engine_bg.js': bindings,
});
bindings.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

/** Prisma's schema engine, the same that `prisma migrate` downloads as a binary. */
export const openSchemaEngine = (pool: pg.Pool, datamodel: string): Promise<bindings.SchemaEngine> =>
  bindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', datamodel]] },
    () => {}, // Its log repeats each script whole.
    bindMigrationAwareSqlAdapterFactory(new SchemaEngineAdapter(pool, { schema: 'public' })),
  );

const CHAR_COLUMNS: readonly string[] = ['constraint_type', 'confdeltype', 'confupdtype'];

/** The catalogue has columns of the type "char", which PrismaPg does not know and the engine insists on. */
class SchemaEngineAdapter extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    return Object.assign(adapter, {
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
