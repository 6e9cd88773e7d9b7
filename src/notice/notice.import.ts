import { withTranslations } from '../import/fields/translations.ts';
import { boolean, integer, longText, oneOf, shortText, timestamp } from '../import/fields/values.ts';
import { CREATED_AT, field, type ImportKind, nullable, required, shownFrom, UPDATED_AT } from '../import/kind.ts';

export const noticeImport: ImportKind = {
  table: 'notice',
  plural: 'notices',
  key: 'title',
  // A notice has no slug: its title identifies it, with its start if the file has one. The API returns the start in whole milliseconds.
  identity: {
    isSame: 'other.title = s.title and other.starts_at is not distinct from s.starts_at',
    isFound: `t.title = s.title and (s.starts_at is null
      or date_trunc('milliseconds', t.starts_at) = date_trunc('milliseconds', s.starts_at))`,
    order: 't.starts_at desc, t.id desc',
  },
  fields: withTranslations(
    {
      title: field('title', 'text', shortText(500), required),
      startsAt: shownFrom('starts_at'),
      type: field('type', 'notice_type', oneOf('ANNOUNCEMENT', 'PROMOTION', 'MAINTENANCE')),
      level: field('level', 'notice_level', oneOf('NORMAL', 'IMPORTANT', 'URGENT')),
      summary: field('summary', 'text', longText, nullable),
      content: field('content', 'text', longText, required),
      pinned: field('pinned', 'boolean', boolean),
      status: field('status', 'notice_status', oneOf('DRAFT', 'PUBLISHED', 'WITHDRAWN')),
      endsAt: field('ends_at', 'timestamptz', timestamp, nullable),
      // The gateways count on from here: an import of an older number would remove views.
      viewCount: field('view_count', 'bigint', integer(0, Number.MAX_SAFE_INTEGER), { isInsertOnly: true }),
      createdAt: CREATED_AT,
      updatedAt: UPDATED_AT,
    },
    ['title', 'summary', 'content'],
  ),
  check: ({ starts_at: startsAt, ends_at: endsAt }, reject) => {
    if (startsAt && endsAt && Date.parse(String(endsAt)) <= Date.parse(String(startsAt)))
      reject('endsAt', 'must be after the start');
  },
  native: {
    summary: 'notices, with columns as in the table notice or the API',
    needs: 'title and content',
    // Posts of every kind have a title and a content.
    recognises: (hasAny, hasNoOther) =>
      hasAny('title') && (hasAny('endsat', 'startsat', 'pinned', 'level') || (hasAny('content') && hasNoOther('id'))),
  },
};
