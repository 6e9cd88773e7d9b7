import { type Notice as NoticeRow, Prisma } from '../../../src/database/generated/client/client.ts';
import { builder, prisma } from './builder.ts';

const isInEffect = ({ endsAt }: NoticeRow): boolean => endsAt === null || endsAt > new Date();

const readable = (now: Date) => ({ status: 'PUBLISHED', startsAt: { lte: now } }) satisfies Prisma.NoticeWhereInput;

const inEffect = (now = new Date()): Prisma.NoticeWhereInput => ({
  ...readable(now),
  OR: [{ endsAt: null }, { endsAt: { gt: now } }],
});

const ORDER: Prisma.NoticeOrderByWithRelationInput[] = [{ pinned: 'desc' }, { startsAt: 'desc' }, { id: 'desc' }];

const Notice = builder.prismaObject('Notice', {
  fields: (t) => ({
    id: t.exposeInt('id'),
    type: t.exposeString('type'),
    level: t.exposeString('level'),
    title: t.exposeString('title'),
    summary: t.exposeString('summary', { nullable: true }),
    content: t.exposeString('content'),
    pinned: t.exposeBoolean('pinned'),
    startsAt: t.expose('startsAt', { type: 'DateTime' }),
    endsAt: t.expose('endsAt', { type: 'DateTime', nullable: true }),
    inEffect: t.boolean({ resolve: isInEffect }),
    viewCount: t.expose('viewCount', { type: 'SafeInt' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

interface Page {
  readonly items: NoticeRow[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
}

const NoticePage = builder.objectRef<Page>('NoticePage').implement({
  fields: (t) => ({
    items: t.expose('items', { type: [Notice] }),
    total: t.exposeInt('total'),
    page: t.exposeInt('page'),
    pageSize: t.exposeInt('pageSize'),
    pageCount: t.int({ resolve: ({ total, pageSize }) => Math.ceil(total / pageSize) }),
  }),
});

builder.queryFields((t) => ({
  notices: t.prismaField({
    type: ['Notice'],
    resolve: (query) => prisma.notice.findMany({ ...query, where: inEffect(), orderBy: ORDER }),
  }),
  noticePage: t.field({
    type: NoticePage,
    args: {
      page: t.arg.int({ required: true, defaultValue: 1 }),
      pageSize: t.arg.int({ required: true, defaultValue: 10 }),
    },
    resolve: async (_, { page, pageSize }) => {
      const where = inEffect();
      const [items, total] = await Promise.all([
        prisma.notice.findMany({ where, orderBy: ORDER, skip: (page - 1) * pageSize, take: pageSize }),
        prisma.notice.count({ where }),
      ]);
      return { items, total, page, pageSize };
    },
  }),
  notice: t.prismaField({
    type: 'Notice',
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: async (query, _, { id }) => {
      const where = { id, ...readable(new Date()) };
      try {
        return await prisma.notice.update({ ...query, where, data: { viewCount: { increment: 1 } } });
      } catch (error) {
        // The code of "no record was found": https://www.prisma.io/docs/orm/reference/error-reference#p2025
        if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025') return null;
        throw error;
      }
    },
  }),
}));
