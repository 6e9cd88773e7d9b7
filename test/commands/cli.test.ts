import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/commands/commands.ts';
import { formatsOf } from '../../src/import/formats/formats.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { runCli } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FORMAT_NAMES = formatsOf(IMPORT_KINDS)
  .map(({ name }) => name)
  .join(', ');

const run = async (args: readonly string[], environment: Record<string, string> = {}) => {
  const command = runCli(args, environment);
  return { code: await command.ended, output: command.output() };
};

test('help names every command, and tells each one by one, without colours where nobody sees them', async () => {
  const { code, output } = await run(['--help']);
  expect(code).toBe(0);
  for (const name of ['serve', 'migrate', 'seed', 'import', 'doctor']) {
    expect(output).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a colour
  expect(output).not.toMatch(/\x1b/);
  const help = await run(['import', '--help']);
  expect(help.code).toBe(0);
  expect(help.output).toContain('Usage: vitrine import FILE… [options]');
  for (const text of ['--dry-run', '--header-line LINE', '--format NAME', 'shopify: ', 'Exit code 0'])
    expect(help.output).toContain(text);
  expect((await run([])).output).toBe(output);
  expect((await run(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('a Node that is too old says by which one the program can be run', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
  const program = path.join(import.meta.dirname, '../../bin/vitrine.js');
  const args = [`--import=data:text/javascript,${encodeURIComponent(old)}`, program, 'import', 'x.csv'];
  const { stderr } = await promisify(execFile)(process.execPath, args).catch((error: { stderr: string }) => error);
  expect(stderr).toContain(
    'needs Node.js 22.15 or newer, or 24 or newer, but this is 20.19.0. Run "npx vitrine import x.csv"',
  );
});

test.each([
  [['improt'], 'There is no command improt. Did you mean import? Run "vitrine --help".'],
  [['constructor'], 'There is no command constructor. Run "vitrine --help".'],
  [
    ['import', '--dryrun', 'x.csv'],
    'There is no option --dryrun. Did you mean --dry-run? Run "vitrine import --help".',
  ],
  [['import', '-n', 'x.csv'], 'There is no option -n. Run "vitrine import --help".'],
  [['import'], 'Which file? Run "vitrine import --help".'],
  [['import', 'x.csv', '--currency'], '--currency needs a value. Run "vitrine import --help".'],
  [
    ['import', 'x.csv', '--currency', 'EURO'],
    '--currency must be a currency code of ISO 4217, such as EUR, but is "EURO".',
  ],
  [
    ['import', 'x.csv', '--category', 'Pans > '],
    '--category must be category names with > between them, but is "Pans > ".',
  ],
  [['import', 'x.csv', '--list-separator='], '--list-separator needs a value. Run "vitrine import --help".'],
  [['import', 'x.csv', '--header-line', '0'], '--header-line must be a whole number from 1 to 999999999, but is "0".'],
  [['import', 'x.csv', '--header-line', '0'], '--header-line must be a whole number from 1 to 999999999, but is "0".'],
  [['import', 'x.csv', '--stock', 'many'], '--stock must be a whole number from 0 to 2147483647, but is "many".'],
  [
    ['import', 'x.csv', '--format', 'shopfy'],
    `--format must be one of ${FORMAT_NAMES}, but is "shopfy". Did you mean shopify? Run "vitrine import --help".`,
  ],
  [
    ['import', 'x.csv', '--format=foo'],
    `--format must be one of ${FORMAT_NAMES}, but is "foo". Run "vitrine import --help".`,
  ],
  [['migrate', 'now'], '"now" is one too many. Run "vitrine migrate --help".'],
  [['doctor', '--json=1'], '--json takes no value. Run "vitrine doctor --help".'],
  [['doctor', '--instances', '0'], '--instances must be a number from 1 to 9999, but is "0".'],
])('%j is a mistake that is reported with exit code 2', async (args, message) => {
  await expect(runCommandLine(args)).rejects.toMatchObject({ message, exitCode: 2 });
});

test('a mistake is one line of output', async () => {
  expect(await run(['migrate', 'now'])).toEqual({
    code: 2,
    output: '"now" is one too many. Run "vitrine migrate --help".\n',
  });
});

// Files have no such modes on Windows.
describe.skipIf(process.platform === 'win32')('what modules compile to', () => {
  const NOBODY = 65_534;

  /** Runs a command whose caches go below `caches`, which a test may have prepared, and gives the entries there and in the temporary directory. */
  const runIn = async ({
    prepare = async () => {},
    environment = {},
  }: {
    readonly prepare?: (caches: string, folder: string) => Promise<unknown>;
    readonly environment?: Record<string, string>;
  } = {}) => {
    await using folder = await temporaryFolder();
    const [caches, temporary] = [path.join(folder.path, 'caches'), path.join(folder.path, 'tmp')];
    for (const made of [caches, temporary]) await mkdir(made, { mode: 0o755 });
    await prepare(caches, folder.path);
    const { code } = await run(['--version'], { XDG_CACHE_HOME: caches, TMPDIR: temporary, ...environment });
    expect(code).toBe(0);
    const vitrine = path.join(caches, 'vitrine');
    return {
      mode: (await stat(vitrine).catch(() => undefined))?.mode,
      kept: await readdir(vitrine).catch(() => []),
      temporary: await readdir(temporary),
    };
  };

  test('is kept below XDG_CACHE_HOME, in a directory that only this user can enter, and not in a shared one', async () => {
    const { mode = 0, kept, temporary } = await runIn();
    expect(mode & 0o777).toBe(0o700);
    expect(kept).toHaveLength(1);
    expect(temporary).toEqual([]);
  });

  test.for<[string, (caches: string, folder: string) => Promise<unknown>]>([
    ['a link', (caches, folder) => symlink(path.join(folder, 'tmp'), path.join(caches, 'vitrine'))],
    [
      'one that others can write to',
      async (caches) => {
        await mkdir(path.join(caches, 'vitrine'));
        await chmod(path.join(caches, 'vitrine'), 0o777);
      },
    ],
    ['in one that others can write to', (caches) => chmod(caches, 0o777)],
  ])('is not kept where the directory is %s', async ([, prepare]) => {
    expect(await runIn({ prepare })).toMatchObject({ kept: [], temporary: [] });
  });

  test.runIf(process.getuid?.() === 0).for<[string, (caches: string) => Promise<unknown>]>([
    [
      'directory',
      async (caches) => {
        await mkdir(path.join(caches, 'vitrine'));
        await chown(path.join(caches, 'vitrine'), NOBODY, NOBODY);
      },
    ],
    ['cache', (caches) => chown(caches, NOBODY, NOBODY)],
  ])("is not kept in another user's %s (as root only)", async ([, prepare]) => {
    expect(await runIn({ prepare })).toMatchObject({ kept: [], temporary: [] });
  });

  test('has all that a second start of a checkout reads, so that it needs no compiler for TypeScript', async () => {
    await using caches = await temporaryFolder();
    const program = path.join(import.meta.dirname, '../../bin/vitrine.js');
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: caches.path, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const start = () => promisify(execFile)(process.execPath, [program, '--version'], { env });
    const first = await start();
    expect(first.stderr).toMatch(/no transpile cache for StrippedTypeScript \S+\/src\/cli\.ts\n/);
    const second = await start();
    expect(second.stderr).toMatch(/retrieving transpile cache for StrippedTypeScript \S+\/src\/cli\.ts\.\.\.success\n/);
    expect(second.stderr).not.toContain('no transpile cache');
    expect(second.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('goes where NODE_COMPILE_CACHE says, if it is set', async () => {
    await using folder = await temporaryFolder();
    expect(await runIn({ environment: { NODE_COMPILE_CACHE: folder.path } })).toMatchObject({
      kept: [],
      temporary: [],
    });
    expect(await readdir(folder.path)).toHaveLength(1);
  });
});
