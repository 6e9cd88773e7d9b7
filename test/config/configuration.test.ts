import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { gatewayOptions } from '../../packaging/gateway-options.ts';
import { readEnvironment } from '../../src/commands/commands.ts';
import { findMisspellings, readConfig, readOptions } from '../../src/config/config.ts';
import { camelCase, ROWS } from '../../src/config/variables.ts';
import { runCli } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

describe('every variable', () => {
  test('has its row in docs/configuration.md', async () => {
    const page = await readFile(path.join(ROOT, 'docs/configuration.md'), 'utf8');
    const missing = ROWS.map(([name]) => name).filter((name) => !page.includes(`\n| \`${name}\` |`));
    expect(missing, 'run "npm run generate" and commit docs/configuration.md').toEqual([]);
  });

  test('has its option in what the library declares, unless it concerns the program only', () => {
    const options = [...gatewayOptions().matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, option]) => option);
    const wanted = ROWS.filter(([, row]) => !row.isProgramOnly).map(([name]) => camelCase(name));
    expect(options).toEqual(wanted);
    expect(() => readOptions({ port: 1 } as never)).toThrow('createGateway has no option port.');
  });

  test('stands in "serve --help" with its default, without colours where nobody sees them', async () => {
    const command = runCli(['serve', '--help']);
    expect(await command.ended).toBe(0);
    const help = command.output();
    for (const [name] of ROWS) expect(help).toMatch(new RegExp(`^  ${name}  \\(default: .+\\)\n {6}[\`A-Z/a-z]`, 'm'));
    expect(help).toContain('  FRESHNESS_MS  (default: 100 ms)\n      How old a response may be');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a colour
    expect(help).not.toMatch(/\x1b/);
  });

  test.for(ROWS.filter(([, { value }]) => value.secretsIn).map(([name]) => name))(
    '%s is not repeated in a fault',
    (name) => {
      expect(() => readConfig({ [name]: 'hush hush' })).toThrow(`${name} must`);
      expect(() => readConfig({ [name]: 'hush hush' })).not.toThrow('hush');
    },
  );
});

test('generated files are as the code makes them', async () => {
  const generate = run(process.execPath, [path.join(ROOT, 'packaging/generate.ts'), '--check']);
  expect(await generate.catch(({ stderr }: { stderr: string }) => ({ stderr }))).toMatchObject({ stderr: '' });
});

test('a variable is a member of the configuration in camel case, beside what follows from several', () => {
  const config = readConfig({
    CACHE_MAX_MB: '2',
    STALE_IF_ERROR_S: '3',
    INTROSPECTION: 'off',
    DATABASE_POOL_SIZE: '4',
  });
  expect(config).toMatchObject({ databasePoolSize: 4, cacheMaxBytes: 2_097_152, staleIfErrorMs: 3000 });
  expect(config).toMatchObject({ fieldSuggestions: false, docs: 'on', exposure: { docs: 'on', metrics: 'on' } });
  expect(readConfig({ ACCESS_TOKENS: 'a-token-0123456789' })).toMatchObject({ docs: 'token', metrics: 'token' });
  expect(Object.isFrozen(config)).toBe(true);
});

test.for([
  [{ DATABASE_DIRECT_URL: 'postgresql://db/shop' }, 'DATABASE_DIRECT_URL needs DATABASE_URL'],
  [{ DATABASE_REPLICA_URLS: 'postgresql://db/shop' }, 'DATABASE_REPLICA_URLS needs DATABASE_URL'],
  [
    { DATABASE_URL: 'postgresql://a/shop', DATABASE_POOLER: 'transaction' },
    /DATABASE_POOLER=transaction needs DATABASE_DIRECT_URL/,
  ],
] as const)('%j does not fit together', ([environment, message]) => {
  expect(() => readConfig(environment)).toThrow(message);
});

test('languages are read in their canonical form', () => {
  expect(readConfig({ LANGUAGES: ' en, DE ,pt-br,zh-hant-tw,iw ' }).languages).toEqual([
    'en',
    'de',
    'pt-BR',
    'zh-Hant-TW',
    'he',
  ]);
  expect(readConfig({}).languages).toEqual([]);
});

test.for([
  ['en,de_DE', 'LANGUAGES must be language tags of BCP 47 such as en,de,pt-BR, but is "en,de_DE"'],
  ['en,de,EN', 'LANGUAGES must name each language once'],
  [Array.from({ length: 21 }, (_, n) => `en-${100 + n}`).join(), 'LANGUAGES must name 20 languages at most'],
])('LANGUAGES may not be %s', ([value = '', message]) => {
  expect(() => readConfig({ LANGUAGES: value })).toThrow(message);
});

test('a fault shows neither the password in a value nor more than its beginning', () => {
  const url = 'postgresql://shop:s3cret-of-shop@db/shop';
  expect(() => readConfig({ PORT: url })).toThrow(
    'PORT must be a whole number from 0 to 65535, but is "postgresql://shop:',
  );
  expect(() => readConfig({ PORT: url })).not.toThrow('s3cret');
  expect(() => readConfig({ PORT: 'x'.repeat(1000) })).toThrow(`"${'x'.repeat(100)}… (900 more)"`);
});

test('no log may contain the passwords and tokens of the configuration', () => {
  const config = readConfig({
    DATABASE_URL: 'postgresql://a:first@db/shop',
    DATABASE_REPLICA_URLS: 'postgresql://a:second@db/shop,postgresql://a:third@db/shop',
    ACCESS_TOKENS: `fourth-token,sha256:${'0'.repeat(64)}`,
  });
  expect(config.secrets.toSorted()).toEqual(
    ['first', 'first', 'second', 'second', 'third', 'third', 'fourth-token'].toSorted(),
  );
});

test('a file .env in the working directory sets what the environment does not', async () => {
  await using folder = await temporaryFolder();
  await folder.write('.env', 'PORT=http\nLOG_LEVEL="loud"  # a comment\n');
  const program = path.join(ROOT, 'bin/vitrine.js');
  const refused = await run(process.execPath, [program, 'serve'], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, PORT: 'https' },
  }).catch(({ stderr }: { stderr: string }) => stderr);
  expect(refused).toContain('PORT must be a whole number from 0 to 65535, but is "https"');
  expect(refused).toMatch(/LOG_LEVEL must be .+, but is "loud"/);
  expect(refused).not.toMatch(/^\s+at /m);
});

describe('a variable that is spelt almost like one of Vitrine', () => {
  test.for([
    ['CACHE_MAX', 'CACHE_MAX_MB'],
    ['CACHE_MAX_MBS', 'CACHE_MAX_MB'],
    ['FRESHNES_MS', 'FRESHNESS_MS'],
    ['freshness_ms', 'FRESHNESS_MS'],
    ['DATABASE_URL_FILE', 'DATABASE_URL'],
    ['WORKER', 'WORKERS'],
    ['TRUSTED_DOCUMENTS_ONYL', 'TRUSTED_DOCUMENTS_ONLY'],
  ])('%s is reported', ([given, meant]) => {
    expect(findMisspellings({ [String(given)]: '1' })).toMatchObject([
      { warning: `${given} is not a variable of Vitrine; did you mean ${meant}?` },
    ]);
  });

  test('and others are not', () => {
    const others =
      'HOME PATH HOSTNAME LOGNAME LANG PWD USER TERM SHELL NODE_ENV NODE_OPTIONS PGHOST PGPORT XDG_DATA_DIRS';
    const known = ROWS.map(([name]) => name);
    const names = [...others.split(' '), ...known, 'OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];
    expect(findMisspellings(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([]);
  });

  test.for([
    ['ACCES_TOKENS', 'ACCESS_TOKENS'],
    ['ACCESS_TOKEN', 'ACCESS_TOKENS'],
    ['access_tokens', 'ACCESS_TOKENS'],
    ['ACCESS_TOKENS_FILE', 'ACCESS_TOKENS'],
    ['JWK_URL', 'JWKS_URL'],
    ['JWT_ISUER', 'JWT_ISSUER'],
    ['JWT_AUDIENCES', 'JWT_AUDIENCE'],
    ['TRUSTED_DOCUMENTS_ONYL', 'TRUSTED_DOCUMENTS_ONLY'],
    ['INTROSPECTON', 'INTROSPECTION'],
    ['FIELD_SUGGESTION', 'FIELD_SUGGESTIONS'],
    ['GRAPHQIL', 'GRAPHIQL'],
    ['DOC', 'DOCS'],
    ['DEMOS', 'DEMO'],
    ['METRIC', 'METRICS'],
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
    ['HOSTT', 'HOST'],
  ])('%s stops the start, because without %s more is open', async ([given, meant]) => {
    const message = `${given} is not a variable of Vitrine; did you mean ${meant}? That one closes something`;
    await expect(readEnvironment({ [String(given)]: 'off' }, true)).rejects.toThrow(message);
  });

  test('stops no start where the right one is set, too, or where it is empty', async () => {
    const both = { ACCES_TOKENS: 'off', ACCESS_TOKENS: 'a-token-0123456789' };
    for (const environment of [both, { ACCES_TOKENS: '' }, { ACCES_TOKENS: ' ' }]) {
      const silent = { LOG_LEVEL: 'silent' };
      await expect(readEnvironment({ ...environment, ...silent }, true)).resolves.toBeDefined();
    }
  });

  test('and leaves something open stops the start, and nothing that only writes the database', async () => {
    const environment = {
      DATABASE_URL: 'postgresql://shop@127.0.0.1:1/shop',
      DATABASE_WAIT_MS: '0',
      ACCES_TOKENS: 'x',
    };
    const outputOf = async (command: string): Promise<string> => {
      const { ended, output } = runCli([command], environment);
      expect(await ended).toBe(1);
      return output();
    };
    const refused = await outputOf('serve');
    expect(refused).toContain('The environment has a fault:\n  ACCES_TOKENS is not a variable');
    expect(refused).not.toContain('database');
    expect(await outputOf('migrate')).toContain('The database cannot be reached');
    expect(await outputOf('doctor')).toMatch(/FAIL +environment +ACCES_TOKENS/);
  });

  test('is warned of by the doctor and by every command that uses the database', async () => {
    const database = { DATABASE_URL: 'postgresql://shop@127.0.0.1:1/shop', DATABASE_WAIT_MS: '0', CACHE_MAX: '1' };
    const warning = 'CACHE_MAX is not a variable of Vitrine; did you mean CACHE_MAX_MB?';
    for (const args of [['serve'], ['doctor'], ['migrate'], ['seed'], ['import', 'products.csv']]) {
      const command = runCli(args, database);
      expect(await command.ended).not.toBe(0);
      expect(command.output()).toContain(warning);
    }
  });
});
