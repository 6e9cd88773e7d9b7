import { createHash } from 'node:crypto';
import { PAGE_ASSET_HEADERS, type PageSources, pageHeaders } from '../http/page-headers.ts';
import type { StaticFile } from '../http/static-file.ts';
import { type Bundle, loadBundle } from './bundle.ts';
import { compress } from './compress.ts';

/** A page and its assets. */
export interface BundledPage {
  /** @throws what reading its files failed with; the next call tries again */
  page(): Promise<StaticFile>;
  /**
   * @param path of the request, as in `/graphiql/0123456789abcdef/start.js`
   * @throws as `page` does
   */
  asset(path: string): Promise<StaticFile | undefined>;
}

interface Options {
  /** Path above the assets, without a slash at the end. */
  readonly assetsPath: string;
  /** Module that posts the assets, by `postBundle`. */
  readonly worker: URL;
  /** The page as HTML. @param base path of the folder with the assets, without a slash at the end @param names of the assets in it */
  readonly render: (base: string, names: readonly string[]) => string;
  readonly sources: PageSources;
  /** Added to the page's headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A page with no asset from another host. Read and compressed at the first request and not before, because most instances are never
 * asked for it; kept in memory from then on.
 */
export const createBundledPage = ({ assetsPath, worker, render, sources, headers = {} }: Options): BundledPage => {
  const bundle = remember(() => loadBundle(worker));
  const assets = remember(async () => toAssets(assetsPath, await bundle()));
  const page = remember(async () => {
    const { hash, files } = await bundle();
    const html = render(
      `${assetsPath}/${hash}`,
      files.map(({ name }) => name),
    );
    return toPage(html, { ...headers, ...pageHeaders(sources) });
  });
  return { page, asset: async (path) => (await assets()).get(path) };
};

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

const contentTypeOf = (name: string): string =>
  name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';

const toAssets = (assetsPath: string, { hash, files }: Bundle): ReadonlyMap<string, StaticFile> =>
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

const toPage = async (html: string, headers: Readonly<Record<string, string>>): Promise<StaticFile> => ({
  contentType: 'text/html; charset=utf-8',
  // Weak, because one tag stands for every content coding (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1).
  etag: `W/"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`,
  cacheControl: 'no-cache',
  bodies: await compress(new TextEncoder().encode(html)),
  headers,
});
