import { type BundledPage, createBundledPage } from '../pages/bundled-page.ts';
import { type GraphiqlOptions, pageSources, renderPage } from './page.ts';

/** GraphiQL: 9 MB, and 13 in memory once it was asked for. */
export const createGraphiql = (options: GraphiqlOptions): BundledPage =>
  createBundledPage({
    assetsPath: '/graphiql',
    worker: new URL('bundle.worker.ts', import.meta.url),
    render: (base) => renderPage(options, base),
    sources: pageSources,
    // The same address answers GraphQL in JSON.
    headers: { vary: 'accept, accept-encoding' },
  });
