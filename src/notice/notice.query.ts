import { LIST_SIZE, PAGE_NUMBER, within } from '../graphql/arguments.ts';
import { builder, LIVE_FIELD } from '../graphql/builder.ts';
import { viewKey } from './notice.loader.ts';
import { Notice, NoticePage, NoticeTypeEnum } from './notice.type.ts';

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
