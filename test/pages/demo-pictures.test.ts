import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const FOLDER = new URL('../../prisma/demo/', import.meta.url);
const PICTURES = new URL('../../packaging/demo-pictures/', import.meta.url);

const readJson = async (url: URL) => JSON.parse(await readFile(url, 'utf8'));

/** The paths of all pictures of the demo catalogue. */
const picturePaths = async (): Promise<string[]> => {
  const files = ['categories', 'kitchen-and-table', 'home-and-study', 'outdoors'];
  const rows = await Promise.all(files.map((name) => readJson(new URL(`${name}.json`, FOLDER))));
  return rows
    .flat()
    .flatMap(({ imageUrl, imageUrls = [], variants = [] }) => [
      imageUrl,
      ...imageUrls,
      ...variants.flatMap((variant: { imageUrl?: string }) => variant.imageUrl ?? []),
    ]);
};

const gateway = await shared(createTestGateway(await shared(createTestDatabase())));

test('every picture of the demo catalogue is there, is small, and refers to nothing', async () => {
  for (const path of new Set(await picturePaths())) {
    const { status, text } = await gateway.get(path);
    expect(status, path).toBe(200);
    expect(text.length, path).toBeLessThan(16_384);
    expect(text, path).not.toMatch(/<script|\son\w+=|href="[^#]/);
    const attributes = [...text.matchAll(/<\w+([^>]*)>/g)].map(([, list = '']) => [...list.matchAll(/\s([\w-]+)=/g)]);
    const repeated = attributes.filter((list) => new Set(list.map(([, name]) => name)).size < list.length);
    expect(repeated, `${path} is not XML`).toEqual([]);
  }
});

test('no two products have the same picture', async () => {
  const scenes: Record<string, string[]> = await readJson(new URL('pictures.json', PICTURES));
  const { products } = Object.groupBy(Object.keys(scenes), (_, index) => (index < 11 ? 'categories' : 'products'));
  const pictures = new Set((products ?? []).map((slug) => String(scenes[slug])));
  expect(pictures.size).toBe(products?.length);
});

test('every drawing is used', async () => {
  const scenes: Record<string, string[]> = await readJson(new URL('pictures.json', PICTURES));
  const used = Object.values(scenes).flatMap(([, ...things]) => things.map((thing) => `${thing.split(' ')[0]}.svg`));
  const drawn = await Promise.all(['drawings/', 'fluent-emoji/'].map((folder) => readdir(new URL(folder, PICTURES))));
  expect(drawn.flat().toSorted()).toEqual([...new Set(used)].toSorted());
});

test.for(['nothing', 'kitchen-radio-5', 'constructor', '__proto__'])('there is no picture of %s', async (name) => {
  expect((await gateway.get(`/images/${name}.svg`)).status).toBe(404);
});
