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
import { isBlank } from '../import/record.ts';
import { findExisting, isPresent, reject, STAGE } from '../import/write/stage.ts';
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
      return {
        ...rows,
        check: async () => {
          await rows.check();
          await rejectLost(context);
          await putParentsFirst(context.client);
        },
        write: (range) => writeCategories(context, table, range),
      };
    },
  },
};

const writeCategories = async ({ client, kind }: WriteContext, table: TableWriter, range: Range): Promise<Counts> => {
  const created = await table.insert(range);
  // Another writer may have inserted some of them meanwhile.
  await findExisting(client, kind);
  const createdCategories = await createMissingCategories(client, range);
  // Now that all parents are there, each gets its own.
  return { ...(await table.count(range, created, await table.update(range))), createdCategories };
};

/** As the tables `parents` and `above`: the categories that each staged one will be below. Where the file says no parent, it is the catalogue's. */
const ABOVE = `recursive
  parents (slug, parent) as (
    select s.slug, step ->> 0 from ${STAGE} s cross join jsonb_array_elements(s.category_path) step
    union all
    select c.slug, parent.slug from category c join category parent on parent.id = c.parent_id
    where not exists (select from ${STAGE} s where s.slug = c.slug and ${isPresent('parent')})),
  above (slug, ancestor) as (
    select slug, parent from parents join ${STAGE} s using (slug)
    union
    select above.slug, parent from above join parents on parents.slug = ancestor)`;

/** Rejects categories that would be below themselves, and those that have no parent then, until each has one. */
const rejectLost = async (context: WriteContext): Promise<void> => {
  const isStaged = `exists (select from ${STAGE} other where other.slug = step ->> 0)`;
  let rejected: number;
  do {
    rejected = await reject(
      context,
      `with ${ABOVE}
       delete from ${STAGE} s using above where above.slug = s.slug and ancestor = s.slug
       returning line, record, 'parent' as field, category_path -> -1 ->> 0 as value, 'is below this category itself: choose another parent' as reason`,
    );
    rejected += await rejectUnknownCategories(context, isStaged);
  } while (rejected > 0);
};

/** Numbers the staged categories so that none is written before one that it is below: that has fewer above it. */
const putParentsFirst = (client: WriteContext['client']): Promise<unknown> =>
  client.query(`
    with ${ABOVE}
    update ${STAGE} s set ordinal = ranked.rank
    from (
      select s.ordinal, row_number() over (order by count(ancestor), s.ordinal) as rank
      from ${STAGE} s left join above using (slug) group by s.ordinal) ranked
    where ranked.ordinal = s.ordinal`);
