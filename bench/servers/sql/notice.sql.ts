const COLUMNS = `n.id, n.type, n.level, n.title, n.summary, n.content, n.pinned, n.starts_at as "startsAt", n.ends_at as "endsAt",
  (n.ends_at is null or n.ends_at > now()) as "inEffect", n.view_count as "viewCount", n.created_at as "createdAt", n.updated_at as "updatedAt"`;

const READABLE = `n.status = 'PUBLISHED' and n.starts_at <= now()`;
const IN_EFFECT = `${READABLE} and (n.ends_at is null or n.ends_at > now())`;
const ORDER = 'order by n.pinned desc, n.starts_at desc, n.id desc';

export interface NoticeRow {
  readonly id: number;
  readonly type: string;
  readonly level: string;
  readonly title: string;
  readonly summary: string | null;
  readonly content: string;
  readonly pinned: boolean;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
  readonly inEffect: boolean;
  /** A bigint, which `pg` gives as text. */
  readonly viewCount: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const noticeList = {
  name: 'notice_list',
  text: `select ${COLUMNS} from notice n where ${IN_EFFECT} ${ORDER}`,
};

/** Values: limit, offset. The total is in every row; a page past the end has one row, with nothing else in it. */
export const noticePage = {
  name: 'notice_page',
  text: `select counted.total, ${COLUMNS}
    from (select count(*)::int as total from notice n where ${IN_EFFECT}) counted
    left join lateral (select * from notice n where ${IN_EFFECT} ${ORDER} limit $1 offset $2) n on true ${ORDER}`,
};

/** Counts a view and gives the notice as it then is. Values: id. */
export const noticeView = {
  name: 'notice_view',
  text: `update notice n set view_count = n.view_count + 1 where n.id = $1 and ${READABLE} returning ${COLUMNS}`,
};
