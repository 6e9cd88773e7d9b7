import { expect, test } from 'vitest';
import { ProductSearch } from '../../src/browse/browse.loader.ts';
import type { BrowseEngine, BrowseRequest } from '../../src/browse/browse-engine.ts';
import { readSearchArguments, type SearchArguments } from '../../src/browse/search-arguments.ts';
import { Dependencies } from '../../src/cache/dependencies.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { ReadAgain } from '../../src/database/failures.ts';
import { FEATURES } from '../../src/features.ts';
import { InFlight, type LoaderScope, type Loaders } from '../../src/graphql/context.ts';
import { Languages } from '../../src/language/languages.ts';

/** A search on an engine that finds the product 7, which no table has any more. */
const searchFor = (args: SearchArguments) => {
  const requests: BrowseRequest[] = [];
  const engine: BrowseEngine = {
    search: async (request) => {
      requests.push(request);
      return {
        items: request.page.size > 0 ? [{ id: 7, position: ['1', '0', '7'] }] : [],
        hasNextPage: true,
        hasPreviousPage: false,
        ...(request.isCounted && { totalCount: 30 }),
        facets: {
          ...(request.facets.has('brands') && { brands: [{ value: 'Lumo', count: 30 }] }),
          ...(request.facets.has('inStock') && { inStock: 4 }),
        },
      };
    },
    suggest: async () => [],
    correct: async () => undefined,
  };
  const scope: LoaderScope = {
    dependencies: new Dependencies(new TagVersions(FEATURES)),
    now: new Date(),
    language: new Languages([]).default,
    inFlight: new InFlight(),
    loaders: { product: { byId: async () => null } } as unknown as Loaders,
  };
  return { search: new ProductSearch(readSearchArguments(args), engine, scope), requests };
};

test('what is asked for in one tick is one request, with nothing else in it', async () => {
  const { search, requests } = searchFor({ pageSize: 8 });
  const brands = search.facet('brands');
  expect(await Promise.all([search.totalCount(), search.pageCount(), search.pageInfo(), brands])).toMatchObject([
    30,
    4,
    { hasNextPage: true },
    [{ value: 'Lumo', count: 30 }],
  ]);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ isCounted: true, facets: new Set(['brands']), page: { size: 8 } });
});

test('a count alone asks for no row, and rows alone for no count', async () => {
  const counted = searchFor({ first: 8 });
  await counted.search.totalCount();
  expect(counted.requests).toMatchObject([{ isCounted: true, facets: new Set(), page: { size: 0 } }]);
  const listed = searchFor({ first: 8 });
  await listed.search.edges();
  expect(listed.requests).toMatchObject([{ isCounted: false, facets: new Set(), page: { size: 8 } }]);
});

test('what is asked for later is another request, which has everything in it', async () => {
  const { search, requests } = searchFor({});
  expect(await search.totalCount()).toBe(30);
  expect(await search.totalCount()).toBe(30);
  expect(requests).toHaveLength(1);
  expect(await search.facet('inStock')).toBe(4);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toMatchObject({ isCounted: true, facets: new Set(['inStock']) });
});

test('a product that vanished after it was found makes the operation run again', async () => {
  const { search } = searchFor({});
  await expect(search.nodes()).rejects.toThrow(ReadAgain);
  const [edge] = await search.edges();
  expect(edge?.cursor).toEqual(expect.any(String));
  await expect(edge?.node()).rejects.toThrow(ReadAgain);
});
