import type { Notice as NoticeRow } from '../database/generated/client/client.ts';
import { builder } from '../graphql/builder.ts';
import { Notice } from './notice.type.ts';

interface NoticePageShape {
  readonly items: NoticeRow[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
}

export const NoticePage = builder.objectRef<NoticePageShape>('NoticePage').implement({
  description: 'One page of the notice centre. A page past the end is empty and tells the true total.',
  fields: (t) => ({
    items: t.expose('items', { type: [Notice], description: 'The notices of this page.' }),
    total: t.exposeInt('total', { description: 'Of all pages.' }),
    page: t.exposeInt('page', { description: 'From 1.' }),
    pageSize: t.exposeInt('pageSize', { description: 'The most that a page holds.' }),
    pageCount: t.int({
      description: '0 where there are no notices.',
      resolve: ({ total, pageSize }) => Math.ceil(total / pageSize),
    }),
  }),
});
