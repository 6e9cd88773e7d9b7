import { type CategoryStep, categoryPath, pictureUrl } from '../import/fields/lists.ts';
import { withTranslations } from '../import/fields/translations.ts';
import { INT32_MAX, integer } from '../import/fields/values.ts';
import {
  type Counts,
  CREATED_AT,
  field,
  type ImportKind,
  NAME,
  nullable,
  type Range,
  type RowWriter,
  SLUG,
  UPDATED_AT,
  type WriteContext,
} from '../import/kind.ts';
import { isBlank, type Place, placeOf } from '../import/record.ts';
import { findExisting, STAGE } from '../import/write/stage.ts';
import { createTableWriter, type TableWriter } from '../import/write/writer.ts';
import {
  assignCategorySlugs,
  categoryReference,
  createMissingCategories,
  readStagedCategories,
  rejectUnknownCategories,
} from './category-paths.steps.ts';

export const categoryImport: ImportKind = {
  table: 'category',
  plural: 'categories',
  key: 'slug',
  onConflict: 'on conflict (slug) do nothing',
  fields: withTranslations(
    {
      slug: SLUG,
      name: NAME,
      parent: categoryReference('parent_id', nullable),
      path: field('path', 'jsonb', categoryPath, { isKeyOnly: true }),
      imageUrl: field('image_url', 'text', pictureUrl, nullable),
      position: field('position', 'int', integer(-INT32_MAX, INT32_MAX)),
      createdAt: CREATED_AT,
      updatedAt: UPDATED_AT,
    },
    ['name', 'slug'],
  ),
  check: (row) => {
    const steps = row.path as readonly CategoryStep[] | undefined;
    const [slug = '', name = null, isByName] = steps?.at(-1) ?? [];
    if (!steps) return undefined;
    // A path ends with the category itself; missing parents are created.
    if (!row.slug && isByName && name) row.slug_source = name;
    row.slug ||= slug;
    row.name ||= name ?? undefined;
    row.category_path ||= steps.length > 1 ? steps.slice(0, -1) : undefined;
    row.present.push('slug', 'parent', ...(row.name ? ['name'] : []));
    return undefined;
  },
  native: {
    summary: 'categories, with columns as in the table category or the API, or a path such as Kitchen > Pans',
    needs: 'path, or slug and name',
    // Everything has a name, and much a path.
    recognises: (hasAny, hasNoOther) =>
      (hasAny('slug') && hasAny('name') && (hasAny('parent', 'parentslug', 'path', 'position') || hasNoOther('id'))) ||
      (hasAny('slug', 'name', 'path') && hasNoOther()),
    extra: ['parentSlug'],
    alternatives: { parent: ['parentSlug', 'path'], slug: ['path', 'name'] },
    shape: (values) => {
      const { parentSlug, parent } = values;
      if (parentSlug !== undefined) values.parent = isBlank(parentSlug) ? null : { slug: parentSlug };
      // The API returns a parent as an object; a text is the parent's slug.
      else if (typeof parent === 'string' && !isBlank(parent)) values.parent = { slug: parent };
    },
  },
  write: {
    find: async ({ client, kind }) => {
      await assignCategorySlugs(client, await readStagedCategories(client));
      await findExisting(client, kind);
    },
    prepare: async (context, rows): Promise<RowWriter> => {
      const table = await createTableWriter(context, context.kind);
      // They refer to one another, so all rows are inserted before any parent is set.
      return { ...rows, isWhole: true, write: (all) => writeCategories(context, table, all) };
    },
  },
};

const writeCategories = async (context: WriteContext, table: TableWriter, all: Range): Promise<Counts> => {
  const { client, kind, columnOf, onFault } = context;
  const isStaged = `exists (select from ${STAGE} other where other.slug = step ->> 0)`;
  for (;;) {
    // A rejected category may leave others without a parent.
    while ((await rejectUnknownCategories(context, isStaged)) > 0);
    await client.query('savepoint categories');
    const created = await table.insert(all);
    // Another writer may have inserted some of them meanwhile.
    await findExisting(client, kind);
    const createdCategories = await createMissingCategories(client, all);
    const counts = await table.count(all, created, await table.update(all));
    const cycles = await findCycles(client);
    if (cycles.length === 0) return { ...counts, createdCategories };
    await client.query('rollback to savepoint categories');
    const reason = 'is below this category itself: choose another parent';
    for (const cycle of cycles) onFault({ ...placeOf(cycle), column: columnOf('parent'), value: cycle.parent, reason });
    await client.query(`delete from ${STAGE} where slug = any ($1)`, [cycles.map(({ slug }) => slug)]);
  }
};

interface Cycle extends Place {
  readonly slug: string;
  readonly parent: string;
}

/** The staged categories that are, as they are written now, among their own ancestors. */
const findCycles = async (client: WriteContext['client']): Promise<readonly Cycle[]> => {
  const { rows } = await client.query<Cycle>(`
    with recursive ancestors (slug, id) as (
      select t.slug, t.parent_id from category t join ${STAGE} s on s.slug = t.slug
      union
      select ancestors.slug, t.parent_id from ancestors join category t on t.id = ancestors.id)
    select s.line, s.record, s.slug, parent.slug as parent
    from ancestors join category t on t.slug = ancestors.slug and t.id = ancestors.id
      join category parent on parent.id = t.parent_id join ${STAGE} s on s.slug = t.slug
    order by s.ordinal`);
  return rows;
};
