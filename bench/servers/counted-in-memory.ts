// Loaded before the gateway (`node --import`): the statements that count views are answered at once, from memory, and never sent. So a view costs
// nothing of PostgreSQL, of the driver and of the disk, nor any waiting for them; everything else is the gateway's own, and as it always is.

import pg from 'pg';
import { countViews, countViewsOfOne } from '../../src/notice/notice.sql.ts';

const counts = new Map<unknown, number>();

const countedRow = (id: unknown, views: unknown): string[] => {
  const count = (counts.get(id) ?? 0) + Number(views);
  counts.set(id, count);
  return [String(id), String(count)];
};

const FIELDS = [
  { name: 'id', dataTypeID: pg.types.builtins.INT4 },
  { name: 'viewCount', dataTypeID: pg.types.builtins.INT8 },
];

const rowsOf: Readonly<Record<string, (ids: unknown, views: unknown) => string[][]>> = {
  [countViews.name ?? '']: (ids, views) =>
    (ids as number[]).map((id, index) => countedRow(id, (views as number[])[index])),
  [countViewsOfOne.name ?? '']: (id, views) => [countedRow(id, views)],
};

// One signature stands for the overloads that the driver declares.
const query = pg.Pool.prototype.query as (this: pg.Pool, config: pg.QueryConfig) => Promise<unknown>;

pg.Pool.prototype.query = function (this: pg.Pool, config: pg.QueryConfig) {
  const count = rowsOf[config.name ?? ''];
  const [ids, views] = config.values ?? [];
  return count ? Promise.resolve({ fields: FIELDS, rows: count(ids, views) }) : query.call(this, config);
} as typeof pg.Pool.prototype.query;
