import { type CategoryStep, categoryPath, pictureUrl } from '../import/fields/lists.ts';
import { withTranslations } from '../import/fields/translations.ts';
import { INT32_MAX, integer } from '../import/fields/values.ts';
import {
  CREATED_AT,
  field,
  type ImportContext,
  type ImportKind,
  NAME,
  nullable,
  SLUG,
  UPDATED_AT,
} from '../import/kind.ts';
import { isBlank } from '../import/record.ts';
import { findExisting, isPresent, reject, STAGE } from '../import/write/stage.ts';
import {
  assignCategorySlugs,
  categoryReference,
  createMissingCategories,
  readStagedCategories,
  rejectUnknownCategories,
} from './category-paths.steps.ts';

/** The generation of a category among whose ancestors it is itself. */
const BELOW_ITSELF = -1;

export const categoryImport: ImportKind = {
  table: 'category',
  plural: 'categories',
  key: 'slug',
  // Another writer may have inserted it meanwhile.
  isRow: 't.slug = s.slug',
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
    if (!steps) return;
    // A path ends with the category itself; missing parents are created.
    if (isByName && !row.slug) row.slug_base = slug;
    else row.slug ||= slug;
    row.name ||= name ?? undefined;
    row.category_path ||= steps.length > 1 ? steps.slice(0, -1) : undefined;
    row.present.push('slug', 'parent', ...(row.name ? ['name'] : []));
  },
  native: {
    summary: 'categories, with columns as in the table category or the API, or a path such as Kitchen > Pans',
    needs: 'path, or slug and name',
    // Everything has a name, and much a path.
    recognises: (hasAny, hasNoOther) =>
      (hasAny('slug') && hasAny('name') && (hasAny('parent', 'parentslug', 'path', 'position') || hasNoOther('id'))) ||
      (hasAny('slug', 'name', 'path') && hasNoOther()),
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
      await findExisting({ client, kind });
    },
    prepare: async (context) => ({
      check: () => putParentsFirst(context),
      before: (range, counts) => createMissingCategories(context.client, range, counts),
    }),
  },
};

/**
 * Numbers the staged categories so that each is written after those that it is below, which have fewer above them. Rejects those that would be
 * below themselves, and those that have no parent then. Where the file says no parent, it is the catalogue's.
 */
const putParentsFirst = async (context: ImportContext): Promise<number> => {
  await context.client.query(`
    with recursive
      parents (slug, parent) as (
        select s.slug, step ->> 0 from ${STAGE} s cross join jsonb_array_elements(s.category_path) step
        union all
        select c.slug, parent.slug from category c join category parent on parent.id = c.parent_id
        where not exists (select from ${STAGE} s where s.slug = c.slug and ${isPresent('parent')})),
      above (slug, ancestor) as (
        select slug, parent from parents join ${STAGE} s using (slug)
        union
        select above.slug, parent from above join parents on parents.slug = ancestor)
    update ${STAGE} s set ordinal = ranked.rank, generation = ranked.generation
    from (
      select s.ordinal, row_number() over (order by count(ancestor), s.ordinal) as rank,
        case when bool_or(ancestor = s.slug) then ${BELOW_ITSELF} else count(ancestor) end as generation
      from ${STAGE} s left join above using (slug) group by s.ordinal, s.slug) ranked
    where ranked.ordinal = s.ordinal`);
  const rejected = await reject(
    context,
    `delete from ${STAGE} where generation = ${BELOW_ITSELF}
     returning line, record, 'parent' as field, category_path -> -1 ->> 0 as value, 'is below this category itself: choose another parent' as reason`,
  );
  const isStaged = `exists (select from ${STAGE} other where other.slug = step ->> 0)`;
  return rejected + (await rejectUnknownCategories(context, isStaged));
};
