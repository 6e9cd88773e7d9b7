import { columnsOf } from '../database/columns.ts';
import { Prisma } from '../database/generated/client/client.ts';
import type { Statement } from '../database/sql.ts';

const COLUMNS = columnsOf(Prisma.NoticeScalarFieldEnum, 'n');

/** Detail may show it: published and begun. One that has ended stays readable, so that old links keep working. */
const readable = (now: string): string => `n.status = 'PUBLISHED' and n.starts_at <= ${now}`;

const inEffect = (now: string): string => `${readable(now)} and (n.ends_at is null or n.ends_at > ${now})`;

const ORDER = 'order by n.pinned desc, n.starts_at desc, n.id desc';

/** Values: now. */
export const noticesInEffect: Statement = {
  name: 'notices_in_effect',
  text: `select ${COLUMNS} from notice n where ${inEffect('$1::timestamptz')} ${ORDER}`,
};

// ICU folds case alike in every database; under the C locale ASCII alone would fold. To upper case, because lower case has two
// sigmas, by what follows: "ΟΔΥΣ" would become "οδυς" and not be found in "οδυσσευς". The pattern stands in a select of its own, so that it is
// folded once and not for every row.
const contains = (pattern: string): string =>
  `(${['title', 'summary', 'content'].map((column) => `upper(n.${column} collate "und-x-icu") like (select upper(${pattern} collate "und-x-icu"))`).join(' or ')})`;

/**
 * A page of the notices in effect with their total, which stands in every row; where the page is empty, in one row without a notice.
 * Values: now, limit, offset, type or null, `like` pattern or null.
 */
export const noticePage: Statement = (() => {
  const where = `${inEffect('$1::timestamptz')} and ($4::notice_type is null or n.type = $4::notice_type) and ($5::text is null or ${contains('$5')})`;
  return {
    name: 'notice_page',
    text: `
      select matching.total, ${COLUMNS}
      from (select count(*) as total from notice n where ${where}) matching
      left join lateral (select * from notice n where ${where} ${ORDER} limit $2 offset $3) n on true
      ${ORDER}`,
  };
})();

/**
 * Adds views to readable notices and returns them as they then are. Values: ids, views for each, now.
 * The rows are locked in the order of their ids, so that two instances cannot deadlock.
 */
export const countViews: Statement = {
  name: 'count_views',
  text: `
    with view as (select * from unnest($1::int[], $2::int[]) as v(id, views)),
    target as (select n.id from notice n join view using (id) where ${readable('$3::timestamptz')} order by n.id for no key update of n)
    update notice n set view_count = n.view_count + view.views
    from view join target using (id)
    where n.id = view.id
    returning ${COLUMNS}`,
};
