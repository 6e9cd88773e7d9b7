import {
  boolean,
  CREATED_AT,
  field,
  integer,
  longText,
  moment,
  nullable,
  oneOf,
  required,
  shortText,
  UPDATED_AT,
} from '../import/fields.ts';
import type { ImportKind } from '../import/kind.ts';
import { Problem } from '../import/record.ts';

export const noticeImport: ImportKind = {
  table: 'notice',
  plural: 'notices',
  key: 'title',
  // A notice has no slug: it is its title, and its start where the file has one (to the API's millisecond).
  identity: {
    isSame: 'other.title = s.title and other.starts_at is not distinct from s.starts_at',
    isFound: (isGiven) => `t.title = s.title and (not ${isGiven('startsAt')}
      or date_trunc('milliseconds', t.starts_at) = date_trunc('milliseconds', s.starts_at))`,
    order: 't.starts_at desc, t.id desc',
  },
  fields: {
    title: field('title', 'text', shortText(500), required),
    startsAt: field('starts_at', 'timestamptz', moment),
    type: field('type', 'notice_type', oneOf('ANNOUNCEMENT', 'PROMOTION', 'MAINTENANCE')),
    level: field('level', 'notice_level', oneOf('NORMAL', 'IMPORTANT', 'URGENT')),
    summary: field('summary', 'text', longText, nullable),
    content: field('content', 'text', longText, required),
    pinned: field('pinned', 'boolean', boolean),
    status: field('status', 'notice_status', oneOf('DRAFT', 'PUBLISHED', 'WITHDRAWN')),
    endsAt: field('ends_at', 'timestamptz', moment, nullable),
    // Counted by the gateways from then on: an import would take views away.
    viewCount: field('view_count', 'bigint', integer(0, Number.MAX_SAFE_INTEGER), { isInsertOnly: true }),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  check: ({ startsAt, endsAt }) => {
    const isReversed = startsAt && endsAt && Date.parse(endsAt) <= Date.parse(startsAt);
    return isReversed ? { field: 'endsAt', problem: new Problem('must be after the start') } : undefined;
  },
  native: {
    summary: 'notices, with columns as in the table notice or the API',
    recognises: (has) => has('title') && has('content', 'endsat', 'startsat'),
  },
};
