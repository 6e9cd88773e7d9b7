import type { FeatureLoaders } from '../graphql/context.ts';
import { traceReads } from '../observability/tracing.ts';
import { createBrowseLoaders } from './browse.loader.ts';
import type { BrowseIndex } from './index/browse-index.ts';
import { createSqlEngine } from './sql-engine.ts';

/** Adds the types and queries of browsing and search to the schema's builder. */
export const registerBrowse = (): Promise<unknown> => import('./browse.query.ts');

/** Browsing and search: it reads the tables of other features and has none of its own. @param index answers where it can */
export const createBrowse = (index?: Pick<BrowseIndex, 'before'>): FeatureLoaders => ({
  table: 'browse',
  createLoaders: ({ sql, tracing }) => {
    const engine = traceReads(tracing, 'browse', createSqlEngine(sql));
    return (scope) => createBrowseLoaders(index?.before(engine, scope.hints) ?? engine, scope);
  },
});
