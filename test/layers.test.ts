import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * The parts of `src`, from those that put everything together to those that everything stands on: files and folders. Each imports only parts of
 * later lines, types too. So a part can be read, and moved, with nothing in hand but what comes after it.
 */
const LAYERS = [
  ['cli'],
  ['commands'],
  ['cluster', 'index'],
  ['serve'],
  ['gateway'],
  ['gateway-metrics'],
  ['schema'],
  ['features', 'import-kinds'],
  ['browse'],
  ['variant'],
  ['product'],
  ['notice', 'category', 'doctor'],
  ['translation'],
  ['rest', 'ucp'],
  ['graphql', 'pages'],
  ['http', 'import'],
  ['config'],
  ['cache', 'access', 'observability'],
  ['database'],
  ['overload'],
  ['language'],
  ['deadline'],
  ['apart', 'compile-cache', 'errors', 'memo', 'parse-time', 'start-thread', 'suggestion'],
];

const ROOT = path.join(import.meta.dirname, '..');
const IMPORT = /(?:\bfrom\s+|\bimport\s*\(?\s*|\bdeclare module\s+)'(\.[^']+)'/g;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** The files of `src` that are written by hand: name and text. */
const readFiles = async (): Promise<[string, string][]> => {
  const names = await readdir(path.join(ROOT, 'src'), { recursive: true });
  const files = names.map((name) => path.posix.join('src', name.replaceAll(path.sep, '/')));
  const written = files.filter((name) => name.endsWith('.ts') && !name.includes('/generated/'));
  return Promise.all(written.map(async (name) => [name, await readFile(path.join(ROOT, name), 'utf8')]));
};

const importsOf = (files: readonly [string, string][]): Import[] => {
  const imports: Import[] = [];
  for (const [from, text] of files) {
    for (const [, target = ''] of text.matchAll(IMPORT)) {
      const to = path.posix.join(path.posix.dirname(from), target);
      if (to.startsWith('src/')) imports.push({ from, to });
    }
  }
  return imports;
};

/** `product` for `src/product/visibility.ts`, `gateway` for `src/gateway.ts`. */
const partOf = (file: string): string => file.split('/')[1]?.replace(/\.[jt]s$/, '') ?? '';

const layerOf = (file: string): number => {
  const layer = LAYERS.findIndex((parts) => parts.includes(partOf(file)));
  if (layer < 0) throw new Error(`${file} is in no layer: give its folder a place in LAYERS`);
  return layer;
};

const upwards = (imports: readonly Import[]): Import[] =>
  imports.filter(({ from, to }) => partOf(from) !== partOf(to) && layerOf(to) <= layerOf(from));

const files = await readFiles();
const imports = importsOf(files);

test('every import goes to a later layer', () => {
  const faults = upwards(imports).map(
    ({ from, to }) =>
      `${from} imports ${to}, which is ${layerOf(from) === layerOf(to) ? 'beside' : 'above'} it: let whoever is above both hand it over`,
  );
  expect(faults).toEqual([]);
  // Nor is the test blind.
  expect(imports).toContainEqual({ from: 'src/gateway.ts', to: 'src/features.ts' });
  expect(imports.length).toBeGreaterThan(500);
});

const LOADED_LATER = /\bimport\(\s*'([^']+)'/g;
/** All but those of types alone, which go when the file is compiled. */
const LOADED_AT_ONCE = /^import (?!type\b)[^;]*?\bfrom '([^']+)'/gm;

test('a module that a file loads only where it is needed is not loaded by another import of that file', () => {
  const later = files.flatMap(([name, text]) =>
    [...text.matchAll(LOADED_LATER)].map(([, target = '']) => ({ name, text, target })),
  );
  expect(later.length).toBeGreaterThan(5);
  const both = later.filter(({ text, target }) => [...text.matchAll(LOADED_AT_ONCE)].some(([, at]) => at === target));
  expect(both.map(({ name, target }) => `${name}: ${target}`)).toEqual([]);
});

test('how often a notice was viewed is known to its own folder alone: for what runs requests it is a late value', () => {
  const runners = [
    'access',
    'cache',
    'gateway',
    'gateway-metrics',
    'graphql',
    'http',
    'observability',
    'overload',
    'rest',
  ];
  const knowing = files.filter(
    ([name, text]) => runners.includes(partOf(name)) && /view_?count|countViews/i.test(text),
  );
  expect(knowing.map(([name]) => name)).toEqual([]);
});
