import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { compress, type StaticFile } from '../http/content-encodings.ts';
import { PAGE_ASSET_HEADERS, type PageSources, pageHeaders } from '../http/response-headers.ts';
import { startThread } from '../start-thread.ts';

/** A page and its assets. */
export interface BundledPage {
  /**
   * @param depth how many slashes the path of the request has after its first one: the addresses in the page are relative, for proxies that strip a
   * prefix. @default 0
   * @throws the error of reading its files; the next call tries again
   */
  page(depth?: number): Promise<StaticFile>;
  /** @param path of the request, as in `/graphiql/0123456789abcdef/start.js` @throws as `page` does */
  asset?(path: string): Promise<StaticFile | undefined>;
}

/** What a page refers to, relative to the page. */
export interface Addresses {
  /** The front page, with a slash at the end. */
  readonly root: string;
  /** The folder of the assets, without a slash at the end. */
  readonly base: string;
  /** Of the assets. */
  readonly names: readonly string[];
}

interface Options {
  /** Undefined: the page has none. */
  readonly assets?: {
    /** Their folder, without a slash at the end. */
    readonly path: string;
    readonly load: () => Promise<Bundle>;
  };
  readonly render: (addresses: Addresses) => string;
  readonly sources: PageSources;
  /** Further headers of the page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A page without assets of other hosts. Its files are read and compressed at the first request, because most instances never
 * get one, and then kept in memory.
 */
export const createBundledPage = ({ assets, render, sources, headers = {} }: Options): BundledPage => {
  const path = assets?.path ?? '';
  const bundle = remember(async () => (assets ? assets.load() : NO_ASSETS));
  const files = remember(async () => toAssets(path, await bundle()));
  const pages = new Map<number, () => Promise<StaticFile>>();
  const pageAt = async (depth: number): Promise<StaticFile> => {
    const { hash, files } = await bundle();
    const root = depth === 0 ? './' : '../'.repeat(depth);
    const html = render({ root, base: root + `${path}/${hash}`.slice(1), names: files.map(({ name }) => name) });
    return toPage(html, { ...headers, ...pageHeaders(sources) });
  };
  const page: BundledPage['page'] = (depth = 0) => {
    const known = pages.get(depth) ?? remember(() => pageAt(depth));
    pages.set(depth, known);
    return known();
  };
  return assets ? { page, asset: async (path) => (await files()).get(path) } : { page };
};

/** Remembers the first successful result; concurrent calls share one attempt. */
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
        // The path contains a hash of the content, so the content of a path never changes.
        cacheControl: 'public, max-age=31536000, immutable',
        bodies,
        headers: PAGE_ASSET_HEADERS,
      },
    ]),
  );

const toPage = async (html: string, headers: Readonly<Record<string, string>>): Promise<StaticFile> => ({
  contentType: 'text/html; charset=utf-8',
  // Weak, because the tag is the same for every content coding (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1).
  etag: `W/"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`,
  cacheControl: 'no-cache',
  bodies: await compress(new TextEncoder().encode(html)),
  headers,
});

/** The assets of a page, under a hash of all of them. */
export interface Bundle {
  /** 16 hexadecimal digits. */
  readonly hash: string;
  readonly files: readonly { readonly name: string; readonly bodies: StaticFile['bodies'] }[];
}

const NO_ASSETS: Bundle = { hash: '', files: [] };

/** It takes half a second, more on a busy machine. */
const LOAD_TIMEOUT_MS = 30_000;

/** The pages with assets. */
export type PageName = 'graphiql' | 'docs' | 'demo';

/**
 * Reads and compresses the assets of a page on another thread, so that other requests do not wait.
 * @throws the error of the thread, such as a package that is not installed
 */
export const bundleOf =
  (page: PageName, worker = new URL('./page.worker.ts', import.meta.url)) =>
  async (): Promise<Bundle> => {
    const thread = startThread(worker, { workerData: page });
    try {
      // `once` rejects on the event `error`; a thread that ends without a message runs into the timeout.
      const [bundle]: Bundle[] = await once(thread, 'message', { signal: AbortSignal.timeout(LOAD_TIMEOUT_MS) });
      if (bundle === undefined) throw new Error(`The thread of ${worker} posted an empty message`);
      return bundle;
    } finally {
      void thread.terminate();
    }
  };

/** The logo: a shop window. */
export const LOGO =
  '<svg aria-hidden="true" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">' +
  '<rect width="32" height="32" rx="7" fill="#0f766e"/>' +
  '<path d="M8 10l8 13 8-13" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>' +
  '</svg>';

const ICON_URL = `data:image/svg+xml,${encodeURIComponent(LOGO)}`;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/**
 * A page of this folder. What stands for `{{name}}` in the file is written as it is: texts are escaped before.
 * @returns the page with these values, with `{{icon}}` and `{{logo}}`
 */
export const htmlTemplate = (file: string): ((values: Readonly<Record<string, string>>) => string) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return (values) => {
    const all = new Map(Object.entries({ icon: ICON_URL, logo: LOGO, ...values }));
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => all.get(name) ?? '');
  };
};

/** JSON that cannot close the `<script>` it stands in. */
export const toScriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
