import pg from 'pg';

export type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult>;

/** A pool for those who want one, of which each statement goes where it is told to go. It has no connections of its own. */
export const createRoutedPool = (query: Query): pg.Pool => {
  class RoutedPool extends pg.Pool {
    // One signature stands for the overloads that the driver declares, of which ours is used.
    override query = query as pg.Pool['query'];
  }
  return new RoutedPool();
};
