import type { Notice as NoticeRow } from '../database/generated/client/client.ts';
import { NoticeLevel as Levels, NoticeType as Types } from '../database/generated/client/enums.ts';
import { LIST_SIZE, PAGE_NUMBER, within } from '../graphql/arguments.ts';
import { builder, LIVE_FIELD } from '../graphql/builder.ts';
import { shownField } from '../translation/translation.schema.ts';
import { inEffect } from './in-effect.ts';
import { viewKey } from './notice.loader.ts';

const NoticeTypeEnum = builder.enumType(Types, { name: 'NoticeType', description: 'What it is about.' });
const NoticeLevelEnum = builder.enumType(Levels, { name: 'NoticeLevel', description: 'How much it matters.' });

// Counting a view notifies nobody: a list that shows counts is made again after this time.
const VIEW_COUNT_LAG_MS = 3000;

export const Notice = builder.prismaObject('Notice', {
  description: 'An announcement of the shop to its customers.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Stays the same for good.' }),
    type: t.expose('type', { type: NoticeTypeEnum }),
    level: t.expose('level', { type: NoticeLevelEnum }),
    title: t.string(shownField('title', 'The line that lists show.')),
    summary: t.string({ nullable: true, ...shownField('summary', 'A sentence or two for lists.') }),
    content: t.string(shownField('content', 'The whole text.')),
    pinned: t.exposeBoolean('pinned', { description: 'Whether it stands before those that are not.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'The first moment at which it is in effect.' }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The first moment at which it is over; null: never.',
    }),
    inEffect: t.boolean({
      description: 'False for one that has ended: it can still be read, and is in no list.',
      resolve: (notice, _, { now }) => inEffect.holds(notice, now),
    }),
    viewCount: t.field({
      type: 'SafeInt',
      description: 'How often its detail has been read. In lists it may lag by some seconds.',
      extensions: { isSilent: true },
      resolve: ({ viewCount }, _, { dependencies }) => {
        dependencies.holdsFor(VIEW_COUNT_LAG_MS);
        return viewCount;
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the back office entered it.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the back office last said it changed.' }),
  }),
});

const NoticePage = builder
  .objectRef<{ readonly items: NoticeRow[]; readonly total: number; readonly page: number; readonly pageSize: number }>(
    'NoticePage',
  )
  .implement({
    description: 'One page of the notice centre. A page past the end is empty and tells the true total.',
    fields: (t) => ({
      items: t.expose('items', { type: [Notice], description: 'The notices of this page.' }),
      total: t.exposeInt('total', { description: 'How many notices all pages have.' }),
      page: t.exposeInt('page', { description: 'From 1.' }),
      pageSize: t.exposeInt('pageSize', { description: 'The most that a page holds.' }),
      pageCount: t.int({
        description: 'How many pages there are: 0 without notices.',
        resolve: ({ total, pageSize }) => Math.ceil(total / pageSize),
      }),
    }),
  });

/** Far more than a shop has at a time. */
const ASSUMED_IN_EFFECT = 200;

builder.queryFields((t) => ({
  notices: t.field({
    type: [Notice],
    description: 'Every notice in effect: pinned first, then latest start.',
    extensions: { assumedSize: ASSUMED_IN_EFFECT },
    resolve: (_, __, { loaders }) => loaders.notice.inEffect(),
  }),

  noticePage: t.field({
    type: NoticePage,
    description: 'The notices in effect, page by page, in the order of `notices`.',
    args: {
      page: t.arg.int(within(PAGE_NUMBER, 1)),
      pageSize: t.arg.int(within(LIST_SIZE, 10)),
      keyword: t.arg.string({
        description: 'In title, summary or content, whatever its case and accents; blank means none.',
      }),
      type: t.arg({ type: NoticeTypeEnum }),
    },
    extensions: { sizedFields: ['items'] },
    resolve: async (_, { page, pageSize, keyword, type }, { loaders }) => {
      const key = { page, pageSize, keyword: keyword ?? null, type: type ?? null };
      return { ...(await loaders.notice.page(key)), page, pageSize };
    },
  }),

  nextNoticeChangeAt: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'When the list in effect next changes by itself: a notice begins or ends. Null where nothing is planned.',
    resolve: (_, __, { loaders }) => loaders.notice.nextChangeAt(),
  }),

  notice: t.field({
    type: Notice,
    nullable: true,
    description: 'A notice that has begun, ended or not. Counts a view, once an operation however often it is named.',
    args: { id: t.arg.int({ required: true }) },
    extensions: { lateKey: ({ id }: { id: number }) => viewKey(id) },
    resolve: (_, { id }, { loaders }) => loaders.notice.viewed(id),
  }),
}));

builder.subscriptionField('notices', (t) =>
  t.field({
    ...LIVE_FIELD,
    type: [Notice],
    description: 'Every notice in effect, in the order of the query: at once, and again whenever the list changes.',
    extensions: { assumedSize: ASSUMED_IN_EFFECT },
    resolve: (_, __, { loaders }) => loaders.notice.inEffect(),
  }),
);
