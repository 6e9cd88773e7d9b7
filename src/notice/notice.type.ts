import { NoticeLevel as Levels, NoticeType as Types } from '../database/generated/client/enums.ts';
import { builder } from '../graphql/builder.ts';
import { isInEffect } from './notice-window.ts';

export const NoticeTypeEnum = builder.enumType(Types, { name: 'NoticeType', description: 'What it is about.' });
const NoticeLevelEnum = builder.enumType(Levels, { name: 'NoticeLevel', description: 'How much it matters.' });

// Counting is no change that anybody is told of: a list that shows counts is made anew after this time.
const VIEW_COUNT_LAG_MS = 3000;

export const Notice = builder.prismaObject('Notice', {
  description: 'An announcement of the shop to its customers.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Stays the same for good.' }),
    type: t.expose('type', { type: NoticeTypeEnum }),
    level: t.expose('level', { type: NoticeLevelEnum }),
    title: t.exposeString('title', { description: 'The line that lists show.' }),
    summary: t.exposeString('summary', { nullable: true, description: 'A sentence or two for lists.' }),
    content: t.exposeString('content', { description: 'The whole text.' }),
    pinned: t.exposeBoolean('pinned', { description: 'Whether it stands before those that are not.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'The first moment at which it is in effect.' }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The first moment at which it is over; null: never.',
    }),
    inEffect: t.boolean({
      description: 'False for one that has ended: it can still be read, and is in no list.',
      resolve: (notice, _, { now }) => isInEffect(notice, now),
    }),
    viewCount: t.field({
      type: 'SafeInt',
      description: 'How often its detail has been read. In lists it may lag by some seconds.',
      resolve: ({ viewCount }, _, { policy }) => {
        policy.holdsFor(VIEW_COUNT_LAG_MS);
        return viewCount;
      },
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the back office entered it.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the back office last said it changed.' }),
  }),
});
