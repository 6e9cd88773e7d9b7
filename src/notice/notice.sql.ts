import { Prisma } from '../database/generated/client/client.ts';
import { COLUMNS } from '../database/generated/tables.ts';
import { columnsOf, type Statement } from '../database/sql.ts';
import { shownSql, statementIn } from '../language/shown.ts';
import { inEffect, readable } from './in-effect.ts';

const SHOWN = columnsOf(Prisma.NoticeScalarFieldEnum, COLUMNS.Notice, 'n');

const ORDER = 'order by n.pinned desc, n.starts_at desc, n.id desc';

/** Values: now. */
export const nextNoticeChange: Statement = {
  name: 'next_notice_change',
  text: `select ${inEffect.nextChangeSql('$1::timestamptz')} as "nextChangeAt"`,
};

// This folds as a search for products does, whatever the locale of the database.
// The keyword is in a select of its own, so that it is folded once and not for every row.
const contains = (keyword: string, languages?: readonly string[]): string =>
  `(${['title', 'summary', 'content'].map((column) => `strpos(vitrine_fold(${shownSql('n', column, languages)}), (select vitrine_fold(${keyword}))) > 0`).join(' or ')})`;

/**
 * A page of the notices in effect with their total, which is in every row; an empty page is one row without a notice.
 * The notices in effect are found once for both, by an index on their end: an index in the order of the page would also hold all that have
 * ended. Prisma takes two statements for a page and its total, and folds case by the locale of the database.
 * Values: now, limit, offset, type or null, keyword or null.
 * @param languages of the texts that have the keyword, as `Language.fallBacks`
 */
export const noticePage = (languages?: readonly string[]): Statement => ({
  name: statementIn('notice_page', languages),
  text: `
    with matching as materialized (
      select n.id, n.pinned, n.starts_at from notice n
      where ${inEffect.sql('n', '$1::timestamptz')} and ($4::notice_type is null or n.type = $4::notice_type) and ($5::text is null or ${contains('$5', languages)})
    )
    select counted.total, ${SHOWN}
    from (select count(*) as total from matching) counted
    left join (select n.id from matching n ${ORDER} limit $2 offset $3) page on true
    left join notice n on n.id = page.id
    ${ORDER}`,
});

const addViews = (views: string): string => `
    with view (id, views) as (${views}),
    target as (
      select n.id, view.views from notice n join view using (id)
      where ${readable.sql('n', '$3::timestamptz')} for no key update of n skip locked
    ),
    counted as (
      update notice n set view_count = n.view_count + target.views
      from target where n.id = target.id
      returning n.id, n.view_count
    )
    select view.id, c.view_count as "viewCount",
      c.id is null and exists (select from notice n where n.id = view.id and ${readable.sql('n', '$3::timestamptz')}) as "isLocked"
    from view left join counted c using (id)`;

/**
 * Adds views to readable notices and returns their new counts: many in one statement (95,675 views a second of 290 notices, against
 * 16,698 with a statement each), which Prisma cannot do. It skips locked notices: as it never waits, two instances cannot deadlock.
 * Values: ids, views for each, now.
 */
export const countViews: Statement = {
  name: 'count_views',
  text: addViews('select * from unnest($1::int[], $2::int[])'),
};

/**
 * The same for one notice. PostgreSQL plans this once; with an array it plans each time, by the array's length, which takes longer than the rest.
 * Values: id, views, now.
 */
export const countViewsOfOne: Statement = { name: 'count_views_of_one', text: addViews('select $1::int, $2::int') };
