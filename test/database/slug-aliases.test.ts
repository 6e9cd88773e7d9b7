import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const { sql } = database;

beforeEach(async () => {
  await emptyTables(database);
  await sql(`insert into category (name, slug) values ('Shoes', 'shoes')`);
  await sql(
    `insert into product (category_id, name, slug, price) values (1, 'Boot', 'boot', 1), (1, 'Clog', 'clog', 1)`,
  );
});

/** Each as `language:slug>id`. */
const aliases = async (kind = 'product'): Promise<string[]> => {
  const rows = await sql<{ alias: string }>(
    `select concat(language, ':', slug, '>', id) as alias from slug_alias where kind = $1 order by 1`,
    [kind],
  );
  return rows.map(({ alias }) => alias).sort();
};

const client = new pg.Client({ connectionString: database.url });
client.on('error', () => {}); // Dropping the database ends its connections.
await client.connect();
afterAll(() => client.end());

/** Several statements in one transaction. */
const together = async (...statements: string[]): Promise<void> => {
  await client.query('begin');
  try {
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

const translate = (id: number, translations: object): Promise<unknown> =>
  sql('update product set translations = $2 where id = $1', [id, JSON.stringify(translations)]);

describe('a slug that a product had before', () => {
  test('leads to it, until another takes it', async () => {
    await sql(`update product set slug = 'ankle-boot' where id = 1`);
    expect(await aliases()).toEqual([':boot>1']);
    await sql(`update product set slug = 'boot' where id = 2`);
    expect(await aliases()).toEqual([':clog>2']);
    await sql(`insert into product (category_id, name, slug, price) values (1, 'New clog', 'clog', 1)`);
    expect(await aliases()).toEqual([]);
  });

  test('is none once the product has it again', async () => {
    await sql(`update product set slug = 'ankle-boot' where id = 1`);
    await sql(`update product set slug = 'boot' where id = 1`);
    expect(await aliases()).toEqual([':ankle-boot>1']);
  });

  test('leads to the one that had it last', async () => {
    await sql(`update product set slug = 'ankle-boot' where id = 1`);
    await sql(`update product set slug = 'boot' where id = 2`);
    await sql(`update product set slug = 'wooden-clog' where id = 2`);
    expect(await aliases()).toEqual([':boot>2', ':clog>2']);
  });

  test('is the one that others have seen: a slug that one transaction gives and takes away leaves nothing', async () => {
    await together(
      `update product set slug = 'e4eaaaf2-d142-11e1-b3e4-080027620cdd' where id = 1`,
      `update product set slug = 'ankle-boot' where id = 1`,
    );
    expect(await aliases()).toEqual([':boot>1']);
  });

  test('is known also where the transaction has changed something else first', async () => {
    await together(`update product set price = 2`, `update product set slug = 'ankle-boot' where id = 1`);
    expect(await aliases()).toEqual([':boot>1']);
  });

  test('is none where two products change slugs, in one way or another', async () => {
    await together(
      `update product set slug = 'passing' where id = 1`,
      `update product set slug = 'boot' where id = 2`,
      `update product set slug = 'clog' where id = 1`,
    );
    expect(await aliases()).toEqual([]);
    await together(
      `update product set slug = id || '-passing'`,
      `update product set slug = case id when 1 then 'boot' else 'clog' end`,
    );
    expect(await aliases()).toEqual([]);
  });

  test('is none of a product that the transaction itself has made', async () => {
    await together(
      `insert into product (category_id, name, slug, price) values (1, 'Cap', 'passing', 1)`,
      `update product set slug = 'cap-' || id where slug = 'passing'`,
    );
    expect(await aliases()).toEqual([]);
  });

  test('goes with the product, and with all of them', async () => {
    await sql(`update product set slug = slug || '-2', translations = '{"de": {"slug": "x"}}' where id = 1`);
    await sql('delete from product where id = 1');
    expect(await aliases()).toEqual([]);
    await sql(`update product set slug = 'clog-2'`);
    await sql('truncate product cascade');
    expect(await aliases()).toEqual([]);
  });

  test('and so with categories', async () => {
    await sql(`update category set slug = 'footwear', translations = '{"de": {"slug": "schuhe"}}'`);
    expect(await aliases('category')).toEqual([':shoes>1', 'de:schuhe>1']);
    await sql(`insert into category (name, slug) values ('Shoes again', 'shoes')`);
    expect(await aliases('category')).toEqual(['de:schuhe>1']);
    await sql('delete from product; delete from category');
    expect(await aliases('category')).toEqual([]);
  });
});

describe('a translated slug', () => {
  test('leads to its product, and does so as a former one after another took its place', async () => {
    await translate(1, { de: { slug: 'stiefel' }, 'pt-BR': { slug: 'bota' } });
    expect(await aliases()).toEqual(['de:stiefel>1', 'pt-BR:bota>1']);
    await translate(1, { de: { slug: 'stiefelette' } });
    expect(await aliases()).toEqual([':bota>1', ':stiefel>1', 'de:stiefelette>1']);
    await translate(1, { de: { slug: 'stiefel' } });
    expect(await aliases()).toEqual([':bota>1', ':stiefelette>1', 'de:stiefel>1']);
  });

  test('that is empty is none', async () => {
    await translate(1, { de: { slug: '', name: 'Stiefel' } });
    expect(await aliases()).toEqual([]);
  });

  test('is that of one product in a language, and may be that of another in another', async () => {
    await translate(1, { de: { slug: 'stiefel' } });
    await translate(2, { nl: { slug: 'stiefel' } });
    await expect(translate(2, { de: { slug: 'stiefel' } })).rejects.toMatchObject({
      code: '23505',
      constraint: 'slug_alias_kind_slug_language_key',
      detail: 'Key (kind, slug, language)=(product, stiefel, de) already exists.',
    });
    expect(await aliases()).toEqual(['de:stiefel>1', 'nl:stiefel>2']);
  });

  test('may be given by an insert', async () => {
    await sql(
      `insert into product (category_id, name, slug, price, translations) values (1, 'Cap', 'cap', 1, '{"de": {"slug": "kappe"}}'), (1, 'Hat', 'hat', 1, '{}')`,
    );
    expect(await aliases()).toEqual(['de:kappe>3']);
  });

  test('changes places with another in one statement', async () => {
    await translate(1, { de: { slug: 'stiefel' } });
    await translate(2, { de: { slug: 'pantine' } });
    await sql(
      `update product set translations = jsonb_build_object('de', jsonb_build_object('slug', case id when 1 then 'pantine' else 'stiefel' end))`,
    );
    expect(await aliases()).toEqual(['de:pantine>1', 'de:stiefel>2']);
  });
});

/** Who holds which slugs as the last transaction left it, and who held each last. */
class SlugModel {
  readonly #slugs = new Map<number, Record<string, string>>();
  readonly #lastHolder = new Map<string, number>();

  /** @param languages of the slugs, the table's own empty; undefined: the product is deleted */
  set(id: number, slugs: Record<string, string> | undefined): void {
    for (const slug of Object.values(this.of(id))) this.#lastHolder.set(slug, id);
    if (slugs) {
      this.#slugs.set(id, slugs);
      return;
    }
    this.#slugs.delete(id);
    for (const [slug, holder] of this.#lastHolder) if (holder === id) this.#lastHolder.delete(slug);
  }

  of(id: number): Record<string, string> {
    return this.#slugs.get(id) ?? {};
  }

  isHeld(slug: string): boolean {
    return [...this.#slugs.values()].some((slugs) => Object.values(slugs).includes(slug));
  }

  aliases(): string[] {
    const translated = [...this.#slugs].flatMap(([id, slugs]) =>
      Object.entries(slugs).flatMap(([language, slug]) => (language === '' ? [] : [`${language}:${slug}>${id}`])),
    );
    const former = [...this.#lastHolder].flatMap(([slug, id]) => (this.isHeld(slug) ? [] : [`:${slug}>${id}`]));
    return [...former, ...translated].sort();
  }
}

test('after any transactions, aliases are what the committed slugs say', { timeout: 120_000 }, async () => {
  const POOL = Array.from({ length: 9 }, (_, n) => `slug-${n}`);
  const IDS = [1, 2, 3, 4];
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const pick = <Value>(values: readonly Value[]): Value => values[g(fc.nat, { max: values.length - 1 })] as Value;
      await sql('delete from product');
      const model = new SlugModel();
      const write = (id: number, { '': own, ...translated }: Record<string, string>): string => {
        const translations = JSON.stringify(
          Object.fromEntries(Object.entries(translated).map(([language, slug]) => [language, { slug }])),
        );
        return `insert into product (id, category_id, name, slug, price, translations, created_at) overriding system value
          values (${id}, (select min(id) from category), 'Any', '${own}', 1, '${translations}', '2026-01-01')
          on conflict (id) do update set slug = excluded.slug, translations = excluded.translations`;
      };
      for (let round = 0; round < 8; round += 1) {
        const statements: string[] = [];
        const ids = pick([[pick(IDS)], [pick(IDS)], IDS]);
        // What they have is free for each other: first each gets a slug that nobody keeps.
        for (const id of ids.filter((each) => model.of(each)[''] !== undefined))
          statements.push(
            `update product set price = price + 1, slug = 'passing-${id}', translations = '{}' where id = ${id}`,
          );
        const free = POOL.filter(
          (slug) => !model.isHeld(slug) || ids.some((id) => Object.values(model.of(id)).includes(slug)),
        );
        const shuffled = free
          .map((slug) => [g(fc.nat, { max: 1000 }), slug] as const)
          .sort(([one], [other]) => one - other);
        const next = new Map<number, Record<string, string> | undefined>();
        for (const id of ids) {
          const take = (): string => shuffled.pop()?.[1] ?? `more-${id}-${round}`;
          const slugs = {
            '': take(),
            ...(pick([true, false]) && { de: take() }),
            ...(pick([true, false, false]) && { pt: take() }),
          };
          next.set(id, pick([slugs, slugs, slugs, undefined]));
        }
        for (const [id, slugs] of next)
          statements.push(slugs ? write(id, slugs) : `delete from product where id = ${id}`);
        await together(...statements);
        for (const [id, slugs] of next) model.set(id, slugs);
        expect(await aliases(), JSON.stringify(statements)).toEqual(model.aliases());
      }
    }),
    { numRuns: 30, endOnFailure: true },
  );
});

test('ten thousand slugs change in one statement within seconds', async () => {
  await sql(
    `insert into product (category_id, name, slug, price) select 1, 'Many', 'many-' || n, 1 from generate_series(1, 10000) n`,
  );
  const beganMs = performance.now();
  await sql(`update product set slug = 'all-' || id`);
  expect(performance.now() - beganMs).toBeLessThan(20_000);
  expect(await sql('select count(*)::int as count from slug_alias')).toEqual([{ count: 10_002 }]);
});
