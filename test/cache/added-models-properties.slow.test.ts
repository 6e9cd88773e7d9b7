import fc from 'fast-check';
import { describe, test } from 'vitest';
import { hasCode } from '../../src/database/failures.ts';
import { ADDED_TABLES, copyWithAddedModels, createAddedTables } from '../support/added-models.ts';
import type { TestDatabase } from '../support/database.ts';

/*
 * Random documents over the models that a copy of the project adds. Two gateways are asked while somebody commits; a third keeps nothing, and says
 * what is true. Once the bound has passed, both have to answer what it answers: a response that was kept although a commit overtook it is found
 * then, because nothing else makes it invalid.
 */

const shop = await copyWithAddedModels();

/** A type: what selects one of its fields, from the nesting that is left. */
type Selections = Readonly<Record<string, (depth: number) => fc.Arbitrary<string>>>;

const plain = (name: string) => () => fc.constant(name);

const PAGE = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 3 }).map((size) => `(first: ${size})`),
  fc.integer({ min: 1, max: 3 }).map((size) => `(last: ${size})`),
);

const nested = (name: string, type: () => Selections) => (depth: number) =>
  selectionOf(type(), depth - 1).map((selection) => `${name} ${selection}`);

const connection = (name: string, type: () => Selections) => (depth: number) =>
  fc
    .tuple(PAGE, selectionOf(type(), depth - 1), fc.boolean())
    .map(
      ([page, selection, hasInfo]) =>
        `${name}${page} { edges { cursor node ${selection} } ${hasInfo ? 'pageInfo { hasNextPage endCursor }' : ''} }`,
    );

const LEAVES: Selections = { id: plain('id'), name: plain('name') };

const MAKER: Selections = {
  ...LEAVES,
  brandCount: plain('brandCount'),
  brands: nested('brands', () => BRAND),
  brandsConnection: connection('brandsConnection', () => BRAND),
};

const BRAND: Selections = {
  ...LEAVES,
  maker: nested('maker', () => MAKER),
  fairs: nested('fairs', () => FAIR),
  fairsConnection: connection('fairsConnection', () => FAIR),
};

const FAIR: Selections = { ...LEAVES, makers: plain('makers'), brands: nested('brands', () => BRAND) };

const LABEL: Selections = {
  type: plain('__typename'),
  name: plain('name'),
  maker: nested('maker', () => MAKER),
  brand: nested('brand', () => BRAND),
  local: nested('... on LocalLabel { fairs', () => FAIR),
  world: connection('... on WorldLabel { fairsConnection', () => FAIR),
};

const NAMED: Selections = {
  type: plain('__typename'),
  maker: nested('... on Maker', () => MAKER),
  fair: nested('... on Fair', () => FAIR),
};

const ID = fc.integer({ min: 1, max: 4 });

const ROOT: Selections = {
  brand: (depth) => fc.tuple(ID, selectionOf(BRAND, depth - 1)).map(([id, fields]) => `brand(id: ${id}) ${fields}`),
  makers: nested('makers', () => MAKER),
  fairs: nested('fairs', () => FAIR),
  brandsOf: nested('brandsOf(maker: "M1")', () => BRAND),
  brands: connection('brands', () => BRAND),
  counted: plain('counted: brands { totalCount }'),
  labels: nested('labels', () => LABEL),
  named: nested('named', () => NAMED),
};

/** A few fields, of which those that nest need depth. */
const selectionOf = (fields: Selections, depth: number): fc.Arbitrary<string> => {
  const possible = Object.entries(fields).filter(([name]) => depth > 0 || name in LEAVES || name === 'type');
  return fc
    .subarray(possible, { minLength: 1, maxLength: Math.min(3, possible.length) })
    .chain((chosen) => fc.tuple(...chosen.map(([, select]) => select(depth))))
    .map((selections) => `{ ${selections.map(closed).join(' ')} }`);
};

/** A condition of a type opens a selection that its field does not close. */
const closed = (selection: string): string =>
  selection.split('{').length > selection.split('}').length ? `${selection} }` : selection;

const NAME = fc.integer({ min: 1, max: 3 });

const ofRows = fc.oneof(
  ID.map((id) => `insert into maker values (${id}, 'M1') on conflict do nothing`),
  fc
    .tuple(ID, fc.boolean())
    .map(
      ([id, isLocal]) =>
        `insert into brand_of_shop select ${id}, 'B', ${isLocal}, id from maker order by id limit 1 on conflict do nothing`,
    ),
  ID.map((id) => `insert into "Fair" values (${id}, 'F') on conflict do nothing`),
  fc.tuple(ID, NAME).map(([id, name]) => `update maker set name = 'M${name}' where id = ${id}`),
  fc.tuple(ID, NAME).map(([id, name]) => `update brand_of_shop set name = 'B${name}' where id = ${id}`),
  fc.tuple(ID, NAME).map(([id, name]) => `update "Fair" set name = 'F${name}' where id = ${id}`),
  ID.map((id) => `update brand_of_shop set is_local = not is_local where id = ${id}`),
  ID.map((id) => `update brand_of_shop set maker_id = (select max(id) from maker) where id = ${id}`),
  ID.map((id) => `delete from brand_of_shop where id = ${id}`),
  ID.map((id) => `delete from maker where id = ${id}`),
  ID.map((id) => `delete from "Fair" where id = ${id}`),
  fc.constantFrom('truncate brand_of_shop cascade', 'truncate maker cascade'),
);

const ofLinks = fc.oneof(
  fc
    .tuple(ID, ID)
    .map(
      ([brand, fair]) =>
        `insert into "_BrandToFair" select brand_of_shop.id, "Fair".id from brand_of_shop, "Fair" where brand_of_shop.id = ${brand} and "Fair".id = ${fair} on conflict do nothing`,
    ),
  ID.map((id) => `delete from "_BrandToFair" where "A" = ${id}`),
  fc.constant('truncate "_BrandToFair"'),
);

const statement = fc.oneof({ weight: 2, arbitrary: ofRows }, { weight: 1, arbitrary: ofLinks });

const walk = fc.record({
  documents: fc.array(selectionOf(ROOT, 3), { minLength: 3, maxLength: 6 }),
  rounds: fc.array(
    fc.record({
      // Each a transaction, mostly of one statement: what another table makes invalid hides that this one does not.
      commits: fc.array(
        fc.oneof(
          { weight: 3, arbitrary: fc.tuple(statement) },
          { weight: 1, arbitrary: fc.array(statement, { minLength: 2, maxLength: 3 }) },
        ),
        { minLength: 1, maxLength: 2 },
      ),
      pauseMs: fc.nat({ max: 15 }),
    }),
    { minLength: 10, maxLength: 14 },
  ),
});

const FILL = `
  truncate maker, brand_of_shop, "Fair", "_BrandToFair";
  insert into maker select n, 'M' || n from generate_series(1, 2) n;
  insert into brand_of_shop select n, 'B', n = 2, 1 + n % 2 from generate_series(1, 3) n;
  insert into "Fair" select n, 'F' from generate_series(1, 2) n;
  insert into "_BrandToFair" values (1, 1), (2, 1), (3, 2)`;

// The pauses are the walk itself, not a wait for something.
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A truncate of one table and then another may wait for a read that waits for it; PostgreSQL ends one of the two. */
const committed = ({ sql }: Pick<TestDatabase, 'sql'>, text: string): Promise<unknown> =>
  sql(text).catch((error: unknown) => (hasCode(error, '40P01') ? sql(text) : Promise.reject(error)));

describe('whatever of added models is read and committed meanwhile, no answer misses a commit older than the bound', {
  timeout: 120_000,
}, () => {
  test.for<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['at once', { FRESHNESS_MS: '0' }, ADDED_TABLES],
    ['within 50 ms', { FRESHNESS_MS: '50' }, ADDED_TABLES],
    ['where few tables are watched', { FRESHNESS_MS: '0' }, ADDED_TABLES.slice(1, 3)],
  ])('%s', async ([, environment, watched], { expect }) => {
    await using database = await createAddedTables(watched);
    // PostgreSQL takes a second to see that a truncate and a read wait for each other, and may end the read, which is then repeated.
    const limits = { QUERY_MAX_COST: '1000000', MAX_WAIT_MS: '20000', DATABASE_TIMEOUT_MS: '10000' };
    const open = (more: Readonly<Record<string, string>>) =>
      shop.open(database.url, { ...limits, ...environment, ...more });
    await using one = await open({});
    await using other = await open({});
    await using truth = await open({ CACHE_MAX_MB: '0' });
    let hits = 0;

    const property = fc.asyncProperty(walk, async ({ documents, rounds }) => {
      await database.sql(FILL);
      const bodies = documents.map((document) => document.slice(1, -1));
      for (const { commits, pauseMs } of rounds) {
        let isCommitting = true;
        const failed: string[] = [];
        const read = async (gateway: typeof one) => {
          while (isCommitting) {
            for (const body of bodies) {
              const { text, cacheStatus } = await gateway.ask(body);
              if (cacheStatus === 'vitrine; hit') hits += 1;
              if (text.includes('"errors"')) failed.push(`${body}: ${text}`);
            }
          }
        };
        const commit = async () => {
          try {
            for (const statements of commits) {
              await pause(pauseMs);
              await committed(database, statements.join('; '));
            }
          } finally {
            isCommitting = false;
          }
        };
        await Promise.all([commit(), read(one), read(other)]);
        expect(failed.slice(0, 2)).toEqual([]);
        await pause(Number(environment.FRESHNESS_MS));
        for (const body of bodies) {
          const [{ text }, second] = await Promise.all([one.ask(body), other.ask(body)]);
          const { text: expected } = await truth.ask(body);
          expect({ body, one: text, other: second.text }).toEqual({ body, one: expected, other: expected });
        }
      }
    });
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
    // Else nothing was tried.
    if (watched === ADDED_TABLES) expect(hits).toBeGreaterThan(0);
  });
});
