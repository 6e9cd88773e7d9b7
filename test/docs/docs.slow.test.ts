import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSchema, parse, validate } from 'graphql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createTestDatabase } from '../support/database.ts';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import { listen } from '../support/socket.ts';
import { type Block, isAsShown, readPage, stepsOf, withoutCommands } from './page.ts';
import { createReader, type Reader } from './reader.ts';

/** Commands that no test runs, by their beginning, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci': 'it would replace the packages that this test runs on',
  'npm pack': 'it compiles the package, which .ci/package tries',
  'npm install': 'it needs what `npm pack` makes',
  'npx graphql-codegen': 'clients.slow.test.ts runs it',
  'npx gql.tada': 'clients.slow.test.ts runs it',
  'npx generate-persisted-query-manifest': 'clients.slow.test.ts runs it',
  'npx relay-compiler': 'clients.slow.test.ts runs it',
  'npm run bench': 'it loads the machine for minutes',
};

/** The SQL that makes the database. It would leave roles behind, so a test of its own runs it under other names. */
const MAKES_DATABASE = /^create database/m;

/** Blocks of these are for the eye. */
const NOT_READ = new Set(['nginx', 'vcl', 'ini', 'haproxy', 'promql', 'text', 'diff', 'dockerfile', 'systemd']);

const REPOSITORY = path.join(import.meta.dirname, '../..');
const DOCS = (await readdir(path.join(REPOSITORY, 'docs'))).filter((name) => name.endsWith('.md')).sort();
const FILES = ['README.md', ...DOCS.map((name) => `docs/${name}`)];
const read = (file: string): Promise<string> => readFile(path.join(REPOSITORY, file), 'utf8');
const PAGES = await Promise.all(FILES.map(async (file) => ({ file, ...readPage(await read(file)) })));
const SCHEMA = buildSchema(await read('schema.graphql'));
const INDEX_URL = pathToFileURL(path.join(REPOSITORY, 'src/index.ts')).href;

/** Whether it changes the catalogue, so that it needs one of its own. */
const isWriting = (blocks: readonly Block[]): boolean =>
  blocks.some(({ language, text }) => language === 'sql' || (language === 'sh' && /\bimport (-|\w)/.test(text)));

interface Demo {
  readonly demoDatabaseUrl: string;
  readonly port: string;
}

/** A gateway with the demo catalogue, patient enough for a machine that is busy with other tests. */
const startDemo = async (resources: AsyncDisposableStack): Promise<Demo> => {
  const { url: demoDatabaseUrl } = resources.use(await createDemoDatabase());
  const gateway = resources.use(
    await createTestGateway({ url: demoDatabaseUrl }, { DATABASE_TIMEOUT_MS: '20000', UCP: 'on' }),
  );
  const { url } = resources.use(await listen(gateway));
  return { demoDatabaseUrl, port: new URL(url).port };
};

// Pages start processes of their own, and more of them at once would only wait for each other.
vi.setConfig({ maxConcurrency: 3 });

describe('what the documentation shows is so', () => {
  const shared = new AsyncDisposableStack();
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo(shared);
  });
  afterAll(() => shared.disposeAsync());

  for (const { file, blocks } of PAGES) {
    if (blocks.length === 0) continue;
    test.concurrent(file, { timeout: 120_000 }, async () => {
      await using resources = new AsyncDisposableStack();
      const { demoDatabaseUrl, port } = isWriting(blocks) ? await startDemo(resources) : demo;
      const isOwnNeeded = blocks.some(({ text }) => text.includes('DATABASE_URL'));
      const ownDatabaseUrl = isOwnNeeded ? resources.use(await createTestDatabase()).url : '';
      const reader = resources.use(await createReader({ port, demoDatabaseUrl, ownDatabaseUrl }));
      for (const [index, block] of blocks.entries()) {
        const next = blocks[index + 1];
        const answer = next?.isFollowing && ['json', 'text'].includes(next.language) ? next.text : undefined;
        await runBlock(block, { place: `${file}:${block.line}`, answer, reader, demoDatabaseUrl, ownDatabaseUrl });
      }
    });
  }
});

interface Surroundings {
  readonly place: string;
  /** What the block after it shows. */
  readonly answer: string | undefined;
  readonly reader: Reader;
  readonly demoDatabaseUrl: string;
  readonly ownDatabaseUrl: string;
}

const runBlock = async (block: Block, surroundings: Surroundings): Promise<void> => {
  const { language, text } = block;
  const { place, reader, demoDatabaseUrl } = surroundings;
  if (language === 'sh') return runSteps(block, surroundings);
  if (language === 'sql') return runSql(text, surroundings);
  if (language === 'graphql') return runGraphql(text, surroundings);
  if (language === 'ts' && text.includes("from 'vitrine'")) {
    const program = text
      .replaceAll("'vitrine'", `'${INDEX_URL}'`)
      .replaceAll(/postgresql:\/\/[^'"`]*/g, demoDatabaseUrl)
      // For a machine that is busy with other tests.
      .replaceAll('createGateway({', 'createGateway({ databaseTimeoutMs: 20_000,');
    const file = path.join(reader.folder, `example-${block.line}.mts`);
    await writeFile(file, program);
    return runSteps({ ...block, text: `node ${file}` }, surroundings);
  }
  if (language === 'ts') stripTypeScriptTypes(text);
  else if (language === 'yaml') parseYaml(text);
  else if (language === 'json') text.includes('…') || JSON.parse(text);
  else if (!NOT_READ.has(language))
    expect.fail(`${place}: a block needs a language that this test knows, not "${language}"`);
};

const runSteps = async (block: Block, { place, answer, reader }: Surroundings): Promise<void> => {
  const steps = stepsOf(block);
  for (const [index, { commands, line, expected: below }] of steps.entries()) {
    const runnable = withoutCommands(commands, Object.keys(NOT_RUN));
    if (runnable.replaceAll(/^\s*#.*$/gm, '').trim() === '') continue;
    const { stdout, stderr, hasFailed } = await reader.run(runnable);
    const where = place.replace(/:\d+$/, `:${line}`);
    if (hasFailed) expect.fail(`${where} fails:\n${commands}\n${stdout}${stderr}`);
    const expected = below ?? (index === steps.length - 1 ? answer : undefined);
    if (expected !== undefined && !isAsShown(expected, stdout))
      expect.fail(`${where} shows\n${expected}\nbut the output of\n${commands}\nis\n${stdout}${stderr}`);
  }
};

const runSql = async (
  text: string,
  { place, reader, demoDatabaseUrl, ownDatabaseUrl }: Surroundings,
): Promise<void> => {
  const { stdout: exported } = await reader.run('printf %s "$DATABASE_URL"');
  const client = new pg.Client(exported === '' ? demoDatabaseUrl : ownDatabaseUrl);
  await client.connect();
  try {
    for (const role of ['gateway', 'back_office'])
      await client.query(`do $$ begin create role ${role}; exception when others then null; end $$`);
    if (!MAKES_DATABASE.test(text)) await client.query(text);
  } catch (error) {
    expect.fail(`${place} fails: ${error}\n${text}`);
  } finally {
    await client.end();
  }
};

const runGraphql = async (text: string, { place, answer, reader }: Surroundings): Promise<void> => {
  const errors = validate(SCHEMA, parse(text));
  if (errors.length > 0) expect.fail(`${place}: ${errors.join('\n')}`);
  if (answer === undefined) return;
  const file = path.join(reader.folder, 'operation.json');
  await writeFile(file, JSON.stringify({ query: text }));
  const { stdout } = await reader.run(
    `curl http://localhost:4000/graphql -H 'content-type: application/json' -d @${file}`,
  );
  if (!isAsShown(answer, stdout)) expect.fail(`${place} shows\n${answer}\nbut the answer is\n${stdout}`);
};

test('the roles and the database that docs/database.md makes are enough to serve', async () => {
  const { blocks } = readPage(await read('docs/database.md'));
  const made = blocks.find(({ language, text }) => language === 'sql' && MAKES_DATABASE.test(text))?.text ?? '';
  const suffix = `_${randomUUID().replaceAll('-', '')}`;
  const [owner, gateway, shop] = ['shop_owner', 'gateway', 'shop'].map((name) => `${name}${suffix}`);
  const statements = made
    .replaceAll(/\b(shop_owner|gateway|shop)\b/g, `$1${suffix}`)
    .trim()
    .split(/(?<=;)\n/);
  expect(statements).toHaveLength(3);
  await using superuser = await createTestDatabase({ migrated: false });
  const urlOf = (username = '', password = ''): string =>
    Object.assign(new URL(superuser.url), { username, password, pathname: shop }).href;
  try {
    for (const statement of statements) await superuser.sql(statement);
    const migrated = runCli(['migrate', '--grant-to', String(gateway)], { DATABASE_URL: urlOf(owner, 'a-secret') });
    expect(await migrated.ended, migrated.output()).toBe(0);
    const seeded = runCli(['seed'], { DATABASE_URL: urlOf(owner, 'a-secret') });
    expect(await seeded.ended, seeded.output()).toBe(0);
    await using serving = await startGatewayProcess({ ...PATIENT, DATABASE_URL: urlOf(gateway, 'another-secret') });
    expect(await (await fetch(`${serving.url}/api/notice/1`)).json()).toMatchObject({ id: 1 });
  } finally {
    await superuser.sql(`drop database if exists ${shop} with (force)`);
    for (const role of [owner, gateway]) await superuser.sql(`drop role if exists ${role}`);
  }
});

test('every command that is not run is somewhere in the documentation', () => {
  const commands = PAGES.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'sh'))
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.trimStart());
  const unused = Object.keys(NOT_RUN).filter((beginning) => !commands.some((line) => line.startsWith(beginning)));
  expect(unused).toEqual([]);
});

describe('links', () => {
  test('lead to files and headings that exist', async () => {
    const broken: string[] = [];
    const others = ['CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'deploy/README.md', 'findings/README.md'];
    const linking = await Promise.all(others.map(async (file) => ({ file, ...readPage(await read(file)) })));
    for (const { file, links } of [...PAGES, ...linking]) {
      for (const link of links.filter((each) => !/^[a-z]+:/.test(each))) {
        const [target = '', anchor] = link.split('#');
        const linked = target === '' ? file : path.join(path.dirname(file), target);
        const status = await stat(path.join(REPOSITORY, linked)).catch(() => undefined);
        const anchors = status && anchor !== undefined ? readPage(await read(linked)).anchors : undefined;
        if (!status || (anchor !== undefined && !anchors?.has(anchor))) broken.push(`${file}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('of docs/README.md lead to every page', () => {
    const links = PAGES.find(({ file }) => file === 'docs/README.md')?.links ?? [];
    expect(DOCS.filter((name) => name !== 'README.md' && !links.includes(name))).toEqual([]);
  });
});

test('the README is at most 10 kB', async () => {
  expect(Buffer.byteLength(await read('README.md'))).toBeLessThanOrEqual(10_000);
});
