import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { compress, type StaticFile } from '../http/content-encodings.ts';

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

/** Texts by file name. */
export type Texts = Readonly<Record<string, string>>;

interface Options {
  /** @default none */
  readonly assets?: {
    /** Their folder, without a slash at the end. */
    readonly path: string;
    readonly load: () => Promise<Texts>;
  };
  readonly render: (addresses: Addresses) => string;
  /** Where its parts come from, where that is not this host alone. */
  readonly sources?: PageSources;
  /** Further headers of the page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A page without assets of other hosts. Its own are read and compressed at the first request, because most instances never get one, and then kept
 * in memory.
 */
export const createBundledPage = ({ assets = NO_ASSETS, render, sources, headers }: Options): BundledPage => {
  const read = onceForEach<void, Awaited<ReturnType<typeof readAssets>>>(() => readAssets(assets));
  const page = onceForEach(async (depth: number): Promise<StaticFile> => {
    const { folder, names } = await read();
    const root = depth === 0 ? './' : '../'.repeat(depth);
    const html = render({ root, base: root + folder.slice(1), names });
    return {
      contentType: 'text/html; charset=utf-8',
      etag: `W/"${hashOf(html)}"`,
      cacheControl: 'no-cache',
      bodies: await compress(Buffer.from(html)),
      headers: { ...headers, ...pageHeaders({ ...THIS_HOST, ...sources }) },
    };
  });
  return { page: (depth = 0) => page(depth), asset: async (path) => (await read()).files.get(path) };
};

/** Does work once for each key, and again only where it has failed. */
const onceForEach = <Key, Value>(work: (key: Key) => Promise<Value>): ((key: Key) => Promise<Value>) => {
  const known = new Map<Key, Promise<Value>>();
  return (key) => {
    let value = known.get(key);
    if (!value) {
      value = work(key);
      known.set(key, value);
      value.catch(() => known.delete(key));
    }
    return value;
  };
};

/** Where the parts of a page may be loaded from, by directive; without a directive: from nowhere. */
export type PageSources = Readonly<Record<`${string}-src`, string>>;

/**
 * The headers of our pages: a page loads nothing from another host, runs no script that is not named here, is shown in no frame, and sends
 * no `Referer` to other sites.
 * @param sources as in `{ 'script-src': "'self'" }`, https://www.w3.org/TR/CSP3/#directives-fetch
 */
const pageHeaders = (sources: PageSources): Readonly<Record<string, string>> => ({
  'content-security-policy': [
    "default-src 'none'",
    ...Object.entries(sources).map(([directive, allowed]) => `${directive} ${allowed}`),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  // For browsers that do not know `frame-ancestors`.
  'x-frame-options': 'DENY',
});

/** For scripts and styles that only our pages load. */
const ASSET_HEADERS: Readonly<Record<string, string>> = { 'cross-origin-resource-policy': 'same-origin' };

const THIS_HOST: PageSources = {
  'style-src': "'self'",
  'script-src': "'self'",
  'connect-src': "'self'",
  // The icon of each page is in its address.
  'img-src': "'self' data:",
};

/** A page that is files: a template of this folder, and assets, each by the name under which it is served. */
export const createPage = (
  template: string,
  path: string,
  files: Readonly<Record<string, URL | string>>,
): BundledPage =>
  createBundledPage({
    assets: {
      path,
      load: async () => {
        const read = Object.entries(files).map(async ([name, file]) => [name, await readFile(new URL(file), 'utf8')]);
        return Object.fromEntries(await Promise.all(read));
      },
    },
    render: htmlTemplate(template),
  });

const NO_ASSETS: NonNullable<Options['assets']> = { path: '', load: async () => ({}) };

/** 16 hexadecimal digits. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** @returns their folder, whose name contains a hash of all of them; their names; and the files by path */
const readAssets = async ({ path, load }: NonNullable<Options['assets']>) => {
  const texts = await load();
  const hash = hashOf(Object.entries(texts).join());
  const folder = `${path}/${hash}`;
  const files = new Map<string, StaticFile>();
  // One after the other: all at once take 25 MB more, which malloc keeps.
  for (const [name, text] of Object.entries(texts)) {
    files.set(`${folder}/${name}`, {
      contentType: name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      // Weak, because the tag is the same for every content coding (https://www.rfc-editor.org/rfc/rfc9110#section-8.8.1).
      etag: `W/"${hash}"`,
      // The content of a path never changes.
      cacheControl: 'public, max-age=31536000, immutable',
      bodies: await compress(Buffer.from(text)),
      headers: ASSET_HEADERS,
    });
  }
  return { folder, names: Object.keys(texts), files };
};

/** The logo: a shop window. */
export const LOGO =
  '<svg aria-hidden="true" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">' +
  '<rect width="32" height="32" rx="7" fill="#0f766e"/>' +
  '<path d="M8 10l8 13 8-13" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>' +
  '</svg>';

const ICON_URL = `data:image/svg+xml,${encodeURIComponent(LOGO)}`;

/**
 * A page of this folder. What stands for `{{name}}` in the file is written as it is, so no text of a user may be.
 * @returns the page with these values, with `{{icon}}` and `{{logo}}`
 */
export const htmlTemplate = (file: string): ((values: object) => string) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return (values) => {
    const all = new Map<string, unknown>(Object.entries({ icon: ICON_URL, logo: LOGO, ...values }));
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => String(all.get(name) ?? ''));
  };
};

/** JSON that cannot close the `<script>` it stands in. */
export const toScriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
