/**
 * Writes the client of the tables from prisma/schema.prisma: `npm run generate:client`. With `--check` it compares that client with the committed one
 * instead, and fails where they differ. The client is committed: a server that leaves out development dependencies has no generator.
 */

import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = path.join(import.meta.dirname, '..');
const SCHEMA = 'prisma/schema.prisma';
/** The `output` of the generators in the schema, which Prisma finds from the schema's folder. */
const CLIENT = 'src/database/generated';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

const work = await mkdtemp(path.join(tmpdir(), 'vitrine-client-'));
try {
  await cp(path.join(ROOT, SCHEMA), path.join(work, SCHEMA));
  generate();
  await writeTables();
  if (!values.check) {
    await rm(path.join(ROOT, CLIENT), { recursive: true, force: true });
    await cp(path.join(work, CLIENT), path.join(ROOT, CLIENT), { recursive: true });
  } else if (!(await areEqual(path.join(work, CLIENT), path.join(ROOT, CLIENT)))) {
    console.error(`${CLIENT} does not fit ${SCHEMA}. Run "npm run generate:client" and commit the result.`);
    process.exitCode = 1;
  }
} finally {
  await rm(work, { recursive: true });
}

function generate(): void {
  const prisma = path.join(ROOT, 'node_modules/prisma/build/index.js');
  // Prisma starts the generator of Pothos by its name.
  const bin = path.join(ROOT, 'node_modules/.bin');
  const env = {
    ...process.env,
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    // `prisma generate` downloads the schema engine, which it does not run. Any program in its place saves that.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  };
  const args = [prisma, 'generate', '--no-hints', '--schema', path.join(work, SCHEMA)];
  execFileSync(process.execPath, args, { cwd: ROOT, env, stdio: 'pipe' });
}

/**
 * The table of each model and the columns of its fields, which neither client says: `@@map` and `@map`, or the name itself. One of another schema has that
 * before it, because no table of another schema is watched.
 */
async function writeTables(): Promise<void> {
  const schema = await readFile(path.join(work, SCHEMA), 'utf8');
  let tables = '';
  let columns = '';
  for (const [, name = '', body = ''] of schema.matchAll(/^(?:model|view) (\w+) \{(.*?)^\}/gms)) {
    const schemaName = /^\s*@@schema\("(.+?)"\)/m.exec(body)?.[1];
    const table = /^\s*@@map\((?:name:\s*)?"(.+?)"\)/m.exec(body)?.[1] ?? name;
    tables += `  ${name}: '${schemaName === undefined ? '' : `${schemaName}.`}${table}',\n`;
    const mapped = body.matchAll(/^\s*(\w+)\s.*?\s@map\((?:name:\s*)?"(.+?)"\)/gm);
    columns += `  ${name}: { ${Array.from(mapped, ([, field, column]) => `${field}: '${column}'`).join(', ')} },\n`;
  }
  const text = `/* eslint-disable */
/** The tables of the models. */
export const TABLES = {
${tables}} as const;
/** The columns that are not called as their fields. */
export const COLUMNS = {
${columns}} as const;
`;
  await writeFile(path.join(work, CLIENT, 'tables.ts'), text);
}

async function areEqual(one: string, other: string): Promise<boolean> {
  const [names, others] = await Promise.all([filesIn(one), filesIn(other)]);
  if (names.join() !== others.join()) return false;
  for (const name of names) {
    const texts = [one, other].map((folder) => readFile(path.join(folder, name), 'utf8'));
    if (new Set(await Promise.all(texts)).size > 1) return false;
  }
  return true;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name))).toSorted();
}
