import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

type Kind = 'dependencies' | 'devDependencies';
const packagesOf = (file: string, kind: Kind): string[] => Object.keys(JSON.parse(read(file))[kind]);

const ROOT_PACKAGES = new Set([
  ...packagesOf('package.json', 'dependencies'),
  ...packagesOf('package.json', 'devDependencies'),
]);

describe('CONTRIBUTING says what each package is for', () => {
  const tables = read('CONTRIBUTING.md').split('\n\n');

  test.for<[title: string, file: string, kind: Kind]>([
    ['at run time', 'package.json', 'dependencies'],
    ['for development', 'package.json', 'devDependencies'],
    ['in `packaging/package.json`', 'packaging/package.json', 'devDependencies'],
    ['in `test/package.json`', 'test/package.json', 'devDependencies'],
    ['in `examples/clients/package.json`', 'examples/clients/package.json', 'devDependencies'],
    ['in `test/contract/package.json`', 'test/contract/package.json', 'devDependencies'],
    ['in `bench/package.json`', 'bench/package.json', 'devDependencies'],
  ])('%s', ([title, file, kind]) => {
    const table = tables.find((text) => text.startsWith(`| ${title} |`)) ?? '';
    const rows = [...table.matchAll(/^\| (`.+?) \| .+ \|$/gm)].map(([, names]) => names);
    const named = rows.flatMap((names) => names?.split(', ') ?? []).map((name) => name.replaceAll('`', ''));
    expect(named.toSorted()).toEqual(packagesOf(file, kind).toSorted());
  });
});

test('a test that "npm test" runs imports no package that "npm ci" leaves out', () => {
  const leftOut = ['test', 'packaging', 'examples/clients'].flatMap((folder) =>
    packagesOf(`${folder}/package.json`, 'devDependencies').filter((name) => !ROOT_PACKAGES.has(name)),
  );
  const quick = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.slow.test.ts'));
  const tests = quick.filter((file) =>
    importsOf(file).some((name) => leftOut.some((each) => name === each || name.startsWith(`${each}/`))),
  );
  expect(tests, 'give them the suffix .slow.test.ts').toEqual([]);
});

/** The packages that a file imports, itself or by a file that it imports. */
const importsOf = (file: string, seen = new Set<string>()): string[] => {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...read(file).matchAll(/^import (?!type )[^;]*?from '(.+?\.ts|[^.].*?)'/gm)].flatMap(([, name = '']) =>
    name.startsWith('.') ? importsOf(path.join(path.dirname(file), name), seen) : [name],
  );
};
