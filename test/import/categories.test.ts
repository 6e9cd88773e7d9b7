import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { jsonLines, linesOf, useImportDatabase } from '../support/import.ts';
import { openSession, untilBlocked } from '../support/session.ts';

const { url, sql, column, importText } = useImportDatabase();

/** The path of each category, by slugs or by names. */
const tree = async (column: 'slug' | 'name' = 'slug'): Promise<string[]> => {
  const rows = await sql<{ path: string }>(`
    with recursive down (id, path) as (
      select id, ${column} from category where parent_id is null
      union all select c.id, path || ' > ' || c.${column} from down join category c on c.parent_id = down.id)
    select path from down`);
  return rows.map(({ path }) => path).sort();
};

describe('categories', () => {
  test('with a path of names are created with their parents', async () => {
    const csv = 'path,position\nKitchen > Pans,2\nGarden,1\nKitchen > Pots > Small pots,\n';
    expect(await importText(csv)).toMatchObject({ created: 3, createdCategories: 2, faults: [] });
    expect(await tree()).toEqual([
      'garden',
      'kitchen',
      'kitchen > kitchen-pans',
      'kitchen > kitchen-pots',
      'kitchen > kitchen-pots > kitchen-pots-small-pots',
    ]);
    expect(await importText(csv)).toMatchObject({ created: 0, changed: 0, unchanged: 3 });
  });

  test('with parents by slug may come in any order', async () => {
    const csv = 'slug,name,parentSlug\nsmall,Small,pans\npans,Pans,kitchen\nkitchen,Kitchen,\n';
    expect(await importText(csv)).toMatchObject({ created: 3, changed: 0, faults: [] });
    expect(await tree()).toEqual(['kitchen', 'kitchen > pans', 'kitchen > pans > small']);
  });

  test('without their parent, or below themselves, are rejected, and no others', async () => {
    await importText('slug,name,parentSlug\nroot,Root,\nbranch,Branch,root\n');
    const csv =
      'slug,name,parentSlug\na,A,b\nb,B,c\nc,C,a\nbelow-a,X,a\nlost,Lost,nowhere\nbelow-lost,X,lost\nfine,Fine,branch\nroot,Root,branch\nself,S,self\n';
    const { created, faults } = await importText(csv);
    expect(created).toBe(1);
    expect(linesOf(faults)).toEqual([2, 3, 4, 5, 6, 7, 9, 10]);
    expect(await tree()).toEqual(['root', 'root > branch', 'root > branch > fine']);
  });

  test('may change places with their parents', async () => {
    await importText('slug,name,parentSlug\nroot,Root,\nbranch,Branch,root\n');
    const { changed, faults } = await importText('slug,name,parentSlug\nroot,Root,branch\nbranch,Branch,\n');
    expect({ changed, faults }).toEqual({ changed: 2, faults: [] });
    expect(await tree()).toEqual(['branch', 'branch > root']);
  });

  const places = [
    'C',
    'C++',
    'C#',
    'Outdoor > Tools',
    'Outdoor Tools',
    'Café',
    'Cafe',
    'Pots > Pans',
    'Pots > A > Pans',
  ];
  const products = (some: readonly string[]) =>
    some.map((place) => `p${places.indexOf(place)},P,${place},1\n`).join('');

  test.each([
    ['products', (some: readonly string[]) => `slug,name,category,price\n${products(some)}`],
    ["Shopify's products", (some: readonly string[]) => `Handle,Title,Type,Variant Price\n${products(some)}`],
    ['categories', (some: readonly string[]) => `path,position\n${some.map((place) => `${place},1\n`).join('')}`],
  ])('in a file of %s are identified by their place in the tree, in any order of rows', async (_, file) => {
    const stored = () => sql('select id, slug, name, parent_id from category order by id');
    expect((await importText(file(places))).faults).toEqual([]);
    expect(await tree('name')).toEqual([...places, 'Outdoor', 'Pots', 'Pots > A'].sort());
    const before = await stored();
    const [used] = await column('select count(distinct category_id)::int from product');
    expect([0, places.length]).toContain(used);
    for (const order of [places, places.toReversed()]) {
      const again = await importText(file(order));
      expect(again).toMatchObject({ created: 0, changed: 0, createdCategories: 0, faults: [] });
      expect(await stored()).toEqual(before);
    }
    const slugs = await column(`select slug from category where name like 'C%' order by id`);
    expect(slugs).toEqual(['c', 'c-2', 'c-3', 'cafe', 'cafe-2']);
  });

  test('of a file with slugs and of one with names meet, in one file too', async () => {
    const csv = 'slug,name,path\nhob,Kitchen,\n,,Kitchen > Pans\ncook,Kitchen,\n,,C#\nc,C,\n';
    expect(await importText(csv)).toMatchObject({ created: 5, createdCategories: 0, faults: [] });
    expect(await tree()).toEqual(['c', 'c-2', 'cook', 'hob', 'hob > kitchen-pans']);
    expect(await importText(csv)).toMatchObject({ created: 0, changed: 0, unchanged: 5, faults: [] });
    const file = 'slug,name,category,price\na,A,Kitchen > Pans,1\nb,B,c#,1\n';
    expect(await importText(file)).toMatchObject({ created: 2, createdCategories: 0, faults: [] });
  });

  test('with a name beside their path are known by both', async () => {
    const csv = 'path,name\nKitchen > Pans,Frying pans\nKitchen > Pans > Small,\n';
    expect(await importText(csv)).toMatchObject({ created: 2, createdCategories: 1, faults: [] });
    expect(await tree('name')).toEqual(['Kitchen', 'Kitchen > Frying pans', 'Kitchen > Frying pans > Small']);
  });

  test('that another writer inserts meanwhile are those of the file', async () => {
    await using other = await openSession({ url: url() });
    await other.query(`begin; insert into category (slug, name) values ('pans', 'Pots'), ('kitchen', 'Kitchen')`);
    const importing = importText('slug,name,parent\npans,Pans,kitchen\nkitchen,Kitchen,\nknives,Knives,kitchen\n');
    await untilBlocked({ sql });
    await other.query('commit');
    expect(await importing).toMatchObject({ created: 1, changed: 1, unchanged: 1, faults: [] });
    expect(await tree('name')).toEqual(['Kitchen', 'Kitchen > Knives', 'Kitchen > Pans']);
  });

  test('named by name do not take a slug that another category of the file has', async () => {
    const rows = ['C', { slug: 'c', name: 'Cee' }].map((category, index) => ({
      ...{ slug: `p-${index}`, name: 'P', price: 1 },
      category,
    }));
    expect(await importText(jsonLines(rows))).toMatchObject({ createdCategories: 2, faults: [] });
    expect(await column(`select slug || ': ' || name from category order by slug`)).toEqual(['c: Cee', 'c-2: C']);
  });

  test('that the database refuses cost only themselves and those below them, in any order of many rows', async () => {
    await importText('slug,name,parentSlug\nold,Old,\n');
    await sql(`alter table category add constraint house_rule check (name not like 'Forbidden%')`);
    // More than one statement writes, and a parent after what is below it.
    const many = Array.from({ length: 5100 }, (_, index) => `n-${index},N ${index},${index % 2 ? 'new' : 'old'}\n`);
    const [half, other] = [many.slice(0, 100), many.slice(100)];
    const csv = `slug,name,parentSlug
below-lost,Below lost,lost
one,One,other
old,Forbidden too,
${half.join('')}deepest,Deepest,below-lost
path,Path,lost
lost,Forbidden,new
${other.join('')}new,New,
other,Other,one
`;
    const imported = await importText(csv).finally(() => sql('alter table category drop constraint house_rule'));
    const { created, createdCategories, changed, faults } = imported;
    expect({ created, createdCategories, changed }).toEqual({ created: 5101, createdCategories: 0, changed: 0 });
    expect(faults.map(({ line, column, value, reason }) => [line, column, value, reason])).toEqual(
      expect.arrayContaining([
        [3, 'parentSlug', 'other', 'is below this category itself: choose another parent'],
        [5109, 'parentSlug', 'one', 'is below this category itself: choose another parent'],
        [4, undefined, undefined, expect.stringContaining('"house_rule"')],
        [107, undefined, undefined, expect.stringContaining('"house_rule"')],
        [2, 'parentSlug', 'lost', expect.stringContaining('is the slug of no category')],
        [106, 'parentSlug', 'lost', expect.stringContaining('is the slug of no category')],
        [105, 'parentSlug', 'below-lost', expect.stringContaining('is the slug of no category')],
      ]),
    );
    expect(faults).toHaveLength(7);
    expect(
      await sql(
        `select p.slug, p.name, count(*)::int from category c left join category p on p.id = c.parent_id group by p.id order by 1`,
      ),
    ).toEqual([
      { slug: 'new', name: 'New', count: 2550 },
      { slug: 'old', name: 'Old', count: 2550 },
      { slug: null, name: null, count: 2 },
    ]);
  });

  test("with an id and a path of objects, as Best Buy's open data has them, are identified by the id", async () => {
    const row = (id: string, name: string | null, ...ancestors: { id: string; name: string }[]) => ({
      ...{ id, name },
      path: [...ancestors, { id, name }],
      subCategories: [],
    });
    const audio = { id: 'a1', name: 'Audio' };
    const rows = [
      row('b2', 'Cables', audio),
      row('b3', 'Cables', { id: 'a2', name: 'Video' }),
      row('a1', 'Audio'),
      row('x', null, audio),
    ];
    const options = { format: 'categories', map: parseMapping(['slug=id']) };
    const { created, createdCategories, faults } = await importText(JSON.stringify(rows), options);
    expect({ created, createdCategories }).toEqual({ created: 3, createdCategories: 1 });
    const reason = 'must be category names with > between them';
    expect(faults).toEqual([{ line: 1, record: 4, column: 'path', value: expect.stringContaining('"x"'), reason }]);
    expect(await tree()).toEqual(['a1', 'a1 > b2', 'video', 'video > b3']);
  });
});
