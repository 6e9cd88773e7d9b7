import type { FeatureLoaders } from '../graphql/context.ts';
import { traceReads } from '../observability/tracing.ts';
import { createBrowseLoaders } from './browse.loader.ts';
import { createSqlEngine } from './sql-engine.ts';

/** Browsing and search: it reads the tables of other features and has none of its own. */
export const browse: FeatureLoaders & { readonly register: () => Promise<unknown> } = {
  table: 'browse',
  register: () => import('./browse.query.ts'),
  createLoaders: ({ sql, tracing }) => {
    const engine = traceReads(tracing, 'browse', createSqlEngine(sql));
    return (scope) => createBrowseLoaders(engine, scope);
  },
};
