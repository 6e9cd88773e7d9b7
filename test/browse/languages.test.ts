import fc from 'fast-check';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import type { BrowseRequest, Facet, ProductSearchOrder } from '../../src/browse/browse-engine.ts';
import { createSqlEngine } from '../../src/browse/sql-engine.ts';
import { termsOf } from '../../src/browse/words.ts';
import { createSql } from '../../src/database/sql.ts';
import { createTestDatabase } from '../support/database.ts';
import { shared } from '../support/shared.ts';
import {
  CHAINS,
  changeTranslated,
  fillTranslated,
  randomText,
  ShownCatalogue,
} from '../support/translated-catalogue.ts';

const database = await shared(createTestDatabase());
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
pool.on('error', () => {}); // Dropping the database ends its connections.
afterAll(() => pool.end());
const engine = createSqlEngine(createSql(pool));

const ORDERS: readonly ProductSearchOrder[] = ['RELEVANCE', 'BEST_SELLING', 'NAME_ASC'];

test('SQL finds, sorts, counts, suggests and corrects in each language what one product at a time shows in it', {
  timeout: 120_000,
}, async () => {
  const ranks = async (): Promise<(name: string) => number> => {
    const rows = await database.sql<{ name: string }>(
      `select name from (select name from product union select name from translated_words) n order by name`,
    );
    return (name) => rows.findIndex((row) => row.name === name);
  };
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const pick = <Value>(values: readonly Value[]): Value => values[g(fc.nat, { max: values.length - 1 })] as Value;
      await fillTranslated(database, g);
      for (let round = 0; round < 6; round += 1) {
        await changeTranslated(database, g);
        await changeTranslated(database, g);
        const languages = pick(CHAINS);
        const catalogue = await ShownCatalogue.read(database, languages);
        const text = pick(['', 'rott', 'stifel', 'ode', randomText(g), randomText(g).slice(0, 3)]);
        const terms = termsOf(text);
        const order = pick(ORDERS);
        const request: BrowseRequest = {
          ...{ terms, filter: {}, isCounted: true, page: { from: 'start', size: 100 }, now: new Date(), languages },
          order: order === 'RELEVANCE' && terms.length === 0 ? 'BEST_SELLING' : order,
          facets: new Set<Facet>(['tags', 'attributes']),
        };
        const asked = JSON.stringify({ text, languages, order: request.order });
        const answer = await engine.search(request);
        const expected = catalogue.search(request, await ranks());
        expect(
          answer.items.map(({ id }) => id),
          asked,
        ).toEqual(expected.ids);
        expect(answer.totalCount, asked).toBe(expected.ids.length);
        expect(answer.facets, asked).toEqual({ tags: expected.tags, attributes: expected.attributes });
        // From each place on, the rest.
        const place = Math.floor(expected.ids.length / 2);
        const position = answer.items[place]?.position;
        if (position) {
          const rest = await engine.search({ ...request, page: { from: 'start', size: 100, position } });
          expect(
            rest.items.map(({ id }) => id),
            asked,
          ).toEqual(expected.ids.slice(place + 1));
        }
        if (terms.length === 0) continue;
        const suggestion = { terms, limit: pick([3, 20]), now: request.now, languages };
        expect(await engine.suggest(suggestion), asked).toEqual(catalogue.suggest(suggestion));
        expect(await engine.correct({ terms, now: request.now, languages }), asked).toEqual(catalogue.correct(terms));
      }
    }),
    { numRuns: 15, endOnFailure: true },
  );
});
