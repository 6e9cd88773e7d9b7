import { NoticeLevel as Levels, NoticeType as Types } from '../database/generated/client/enums.ts';
import { builder } from '../graphql/builder.ts';
import { isInEffect } from './notice-window.ts';

export const NoticeTypeEnum = builder.enumType(Types, { name: 'NoticeType' });
const NoticeLevelEnum = builder.enumType(Levels, { name: 'NoticeLevel', description: 'How much it matters.' });

export const Notice = builder.prismaObject('Notice', {
  description: 'An announcement of the shop to its customers.',
  fields: (t) => ({
    id: t.exposeInt('id'),
    type: t.expose('type', { type: NoticeTypeEnum }),
    level: t.expose('level', { type: NoticeLevelEnum }),
    title: t.exposeString('title'),
    summary: t.exposeString('summary', { nullable: true }),
    content: t.exposeString('content'),
    pinned: t.exposeBoolean('pinned'),
    startsAt: t.expose('startsAt', { type: 'DateTime' }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The first moment at which it is over; null: never.',
    }),
    inEffect: t.boolean({
      description: 'False for one that has ended: it can still be read, and is in no list.',
      resolve: (notice, _, { now }) => isInEffect(notice, now),
    }),
    viewCount: t.expose('viewCount', { type: 'SafeInt', description: 'How often its detail has been read.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
