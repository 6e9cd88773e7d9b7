import { createHash } from 'node:crypto';
import { PAGE_ASSET_HEADERS, pageHeaders } from '../http/page-headers.ts';
import type { StaticFile } from '../http/static-file.ts';
import { type Bundle, loadBundle } from './bundle.ts';
import { compress } from './compress.ts';
import { pageSources, renderPage } from './page.ts';

const assetsPath = '/graphiql';

const contentTypeOf = (name: string): string =>
  name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';

const toAssets = ({ hash, files }: Bundle): ReadonlyMap<string, StaticFile> =>
  new Map(
    files.map(({ name, bodies }) => [
      `${assetsPath}/${hash}/${name}`,
      {
        contentType: contentTypeOf(name),
        etag: `W/"${hash}"`,
        // The address changes with the content, so that what is behind one never does.
        cacheControl: 'public, max-age=31536000, immutable',
        bodies,
        headers: PAGE_ASSET_HEADERS,
      },
    ]),
  );

const toPage = async (html: string): Promise<StaticFile> => ({
  contentType: 'text/html; charset=utf-8',
  // Weak, because one tag stands for every content coding (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1).
  etag: `W/"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`,
  cacheControl: 'no-cache',
  bodies: await compress(new TextEncoder().encode(html)),
  headers: {
    // The same address answers GraphQL in JSON.
    vary: 'accept, accept-encoding',
    ...pageHeaders(pageSources),
  },
});

/** The result of the first call that succeeds, for every later call; calls at once share one attempt. */
const remember = <Value>(load: () => Promise<Value>): (() => Promise<Value>) => {
  let attempt: Promise<Value> | undefined;
  return () => {
    attempt ??= load().catch((error: unknown) => {
      attempt = undefined;
      throw error;
    });
    return attempt;
  };
};

/** The page and its assets. */
export interface Graphiql {
  /** @throws what reading GraphiQL failed with; the next call tries again */
  page(): Promise<StaticFile>;
  /**
   * @param path of the request, as in `/graphiql/0123456789abcdef/start.js`
   * @throws as `page` does
   */
  asset(path: string): Promise<StaticFile | undefined>;
}

/**
 * GraphiQL with no asset from another host. Read and compressed at the first request and not before, because
 * it is 9 MB that most instances are never asked for; kept in memory from then on (13 MB).
 *
 * @param options.endpoint path that answers GraphQL
 * @param options.title of the window, and beside the logo
 * @param options.introspection whether the endpoint shows its schema
 * @param options.operations texts that `?operation=` in the address picks by name
 */
export const createGraphiql = (options: {
  endpoint: string;
  title: string;
  introspection: boolean;
  operations: Readonly<Record<string, string>>;
}): Graphiql => {
  const bundle = remember(loadBundle);
  const assets = remember(async () => toAssets(await bundle()));
  const page = remember(async () => toPage(renderPage({ ...options, base: `${assetsPath}/${(await bundle()).hash}` })));
  return { page, asset: async (path) => (await assets()).get(path) };
};
