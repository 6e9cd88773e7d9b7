import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { compress } from '../http/content-encodings.ts';
import { PAGE_ASSET_HEADERS, type PageSources, pageHeaders } from '../http/response-headers.ts';
import type { StaticFile } from '../http/static-file.ts';

/** A page and its assets, where it has any. */
export interface BundledPage {
  /** @throws what reading its files failed with; the next call tries again */
  page(): Promise<StaticFile>;
  /**
   * @param path of the request, as in `/graphiql/0123456789abcdef/start.js`
   * @throws as `page` does
   */
  asset?(path: string): Promise<StaticFile | undefined>;
}

interface Options {
  /** Path above the assets, without a slash at the end. */
  readonly assetsPath?: string;
  /** Module that posts the assets, by `postBundle`. Without one, the page loads nothing. */
  readonly worker?: URL;
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
export const createBundledPage = ({ assetsPath = '', worker, render, sources, headers = {} }: Options): BundledPage => {
  const bundle = remember(async () => (worker ? loadBundle(worker) : NO_ASSETS));
  const assets = remember(async () => toAssets(assetsPath, await bundle()));
  const page = remember(async () => {
    const { hash, files } = await bundle();
    const html = render(
      `${assetsPath}/${hash}`,
      files.map(({ name }) => name),
    );
    return toPage(html, { ...headers, ...pageHeaders(sources) });
  });
  return worker ? { page, asset: async (path) => (await assets()).get(path) } : { page };
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

/** What a page loads, under a hash of all its contents. */
export interface Bundle {
  /** 16 hexadecimal digits. */
  readonly hash: string;
  readonly files: readonly { readonly name: string; readonly bodies: StaticFile['bodies'] }[];
}

const NO_ASSETS: Bundle = { hash: '', files: [] };

/** It takes half a second, and some more on a machine that is busy. */
const LOAD_TIMEOUT_MS = 30_000;

/**
 * Reads and compresses a bundle on another thread, so that no request waits for it but the one that asked.
 *
 * @param worker module that posts it, by `postBundle`
 * @throws what the thread failed with, as when a package is not installed
 */
const loadBundle = async (worker: URL): Promise<Bundle> => {
  // Compiled, all modules are called .js, this one as the thread's.
  const compiled = import.meta.url.endsWith('.js') ? new URL(worker.href.replace(/\.ts$/, '.js')) : worker;
  // Node still calls the stripping of types by a program experimental, and would say so in the log.
  const thread = new Worker(compiled, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  try {
    // `once` rejects on the event `error`, which a thread that fails emits; one that ends without a word is not waited for without end.
    const [bundle]: Bundle[] = await once(thread, 'message', { signal: AbortSignal.timeout(LOAD_TIMEOUT_MS) });
    if (bundle === undefined) throw new Error(`The thread of ${worker} posted an empty message`);
    return bundle;
  } finally {
    void thread.terminate();
  }
};

/** The shop window that stands for the gateway on its pages. */
export const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">' +
  '<rect width="32" height="32" rx="7" fill="#0f766e"/>' +
  '<path d="M8 10l8 13 8-13" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>' +
  '</svg>';

export const ICON_URL = `data:image/svg+xml,${encodeURIComponent(LOGO)}`;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** JSON that cannot close the `<script>` it stands in. */
export const toScriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** On a thread of `loadBundle`: hashes and compresses the files of a page and posts them. @param sources texts by file name */
export const postBundle = async (sources: Readonly<Record<string, string>>): Promise<void> => {
  const hash = createHash('sha256');
  for (const [name, source] of Object.entries(sources)) hash.update(name).update(source);

  const files = await Promise.all(
    Object.entries(sources).map(async ([name, source]) => {
      const { identity, gzip, br } = await compress(new TextEncoder().encode(source));
      // A copy, because node's small buffers are views of a shared pool, which cannot be given to another thread.
      return { name, bodies: { identity, gzip: new Uint8Array(gzip), br: new Uint8Array(br) } };
    }),
  );

  const bundle: Bundle = { hash: hash.digest('hex').slice(0, 16), files };
  parentPort?.postMessage(
    bundle,
    files.flatMap(({ bodies }) => [bodies.identity.buffer, bodies.gzip.buffer, bodies.br.buffer]),
  );
};
