import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import type { Access } from '../access/access.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { Clock } from '../database/clock.ts';
import type { Sql, Statement } from '../database/sql.ts';
import { type GatewayRequest, type GatewayResponse, jsonResponse, namesType } from '../http/message.ts';
import { pageHeaders } from '../http/response-headers.ts';
import { escapeHtml, htmlTemplate } from './page.ts';

/** A link of the front page. */
export interface FrontPageLink {
  /** Name in JSON, and relation of the `Link` header if it is a registered one. */
  readonly name: string;
  readonly href: string;
  readonly title: string;
  readonly about: string;
  /** https://www.rfc-editor.org/rfc/rfc8631 */
  readonly relation?: string;
}

/** By their names in JSON; null while the database does not respond. */
type Numbers = Readonly<Record<string, number | null>>;

/** A number of the catalogue, such as its products. */
export interface Count {
  readonly name: string;
  readonly label: string;
  /** Gives one row with a `count`. Value: now. */
  readonly statement: Statement;
}

/** The front page `/`: HTML for browsers, else JSON. */
export type FrontPage = (request: Pick<GatewayRequest, 'headers'>) => Promise<GatewayResponse>;

interface Deps {
  readonly freshnessMs: number;
  /** Where a visitor may try a query. Undefined where a browser could not run any: it has no access token, or only trusted documents are run. */
  readonly query: { readonly endpoint: string; readonly explorer: string | undefined } | undefined;
  readonly links: readonly FrontPageLink[];
  readonly counts: readonly Count[];
  readonly countCatalogue: CountCatalogue;
  readonly responseCache: Pick<ResponseCache, 'stats' | 'size'>;
  readonly admit: Access['admitToPage'];
}

export const createFrontPage = ({ countCatalogue, responseCache, admit, ...shown }: Deps): FrontPage => {
  const { links, counts } = shown;
  const { name, description, version } = packageJson;
  const hrefs = Object.fromEntries(links.map(({ name, href }) => [name, href]));
  const link = links
    .flatMap(({ href, relation }) => (relation === undefined ? [] : [`<${relative(href)}>; rel="${relation}"`]))
    .join(', ');

  const readNumbers = async (): Promise<Numbers> => {
    const counted = await countCatalogue();
    const { hits, misses, joined, stale } = responseCache.stats;
    const { entries, bytes } = responseCache.size();
    return {
      ...Object.fromEntries(counts.map(({ name }, index) => [name, counted?.[index] ?? null])),
      cacheHits: hits + joined + stale,
      cacheMisses: misses,
      cachedAnswers: entries,
      cachedBytes: bytes,
    };
  };

  return async ({ headers }) => {
    const { accept } = headers;
    // Numbers of the catalogue and the cache are shown only to callers with access.
    const isAdmitted = await admit(headers).then(
      () => true,
      () => false,
    );
    const state = isAdmitted ? { version, numbers: await readNumbers() } : {};
    const common = { vary: 'accept', link };
    if (!namesType(accept, 'text/html'))
      return jsonResponse(200, { name, description, ...state, links: hrefs }, common);
    return {
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        ...common,
        ...pageHeaders(SOURCES),
      },
      body: renderPage(shown, state),
    };
  };
};

/** Of the browser, as files: they are checked as what they are, and the policy of the page names their hashes. */
const inlined = (file: URL) => {
  const text = readFileSync(file, 'utf8');
  return { text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
};

const STYLE = inlined(new URL('./front-page.css', import.meta.url));
const NUMBERS = inlined(new URL('./front-page-numbers.browser.js', import.meta.url));
const QUERY_FORM = inlined(new URL('./front-page-query.browser.js', import.meta.url));

const SOURCES = {
  'style-src': STYLE.source,
  'script-src': `${NUMBERS.source} ${QUERY_FORM.source}`,
  'connect-src': "'self'",
  'img-src': 'data:',
};

const CACHE_COUNTS = [
  { name: 'cacheHits', label: 'Answers from memory' },
  { name: 'cacheMisses', label: 'Responses from the database' },
];

/** A proxy may strip a prefix, so that the front page is not at the root for a browser. */
const relative = (path: string): string => `.${path}`;

type Shown = Pick<Deps, 'freshnessMs' | 'query' | 'links' | 'counts'>;

const page = htmlTemplate('front-page.html');
const queryForm = htmlTemplate('front-page-query.html');

/** One file, its style and its scripts inside. @param state only for callers who may see it */
const renderPage = (
  { freshnessMs, query, links, counts }: Shown,
  { version, numbers }: { readonly version?: string; readonly numbers?: Numbers },
): string =>
  page({
    description: escapeHtml(packageJson.description),
    style: STYLE.text,
    bound: freshnessMs > 0 ? `within ${freshnessMs} ms` : 'at once',
    query: query ? renderQuery(query) : '',
    links: links.map(renderLink).join('\n          '),
    numbers: numbers ? renderNumbers(counts, numbers) : '',
    version: version ? `<footer>Version ${version}</footer>` : '',
    scripts: [numbers && NUMBERS, query && QUERY_FORM]
      .flatMap((script) => (script ? `<script>${script.text}</script>` : []))
      .join('\n    '),
  });

const renderLink = ({ href, title, about }: FrontPageLink): string =>
  `<li><a href="${relative(href)}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about)}</span></a></li>`;

const renderQuery = ({ endpoint, explorer }: NonNullable<Deps['query']>): string =>
  queryForm({
    endpoint: relative(endpoint),
    explorer: explorer ? `<a id="explorer" href="${relative(explorer)}">Open in GraphiQL</a>` : '',
  });

const show = (value: number | null | undefined): string => (value == null ? '–' : value.toLocaleString('en'));

const renderNumbers = (counts: Deps['counts'], numbers: Numbers): string => `<h2>At this moment</h2>
      <dl>
        ${[...counts, ...CACHE_COUNTS].map(({ name, label }) => `<div><dt>${escapeHtml(label)}</dt><dd id="${name}">${show(numbers[name])}</dd></div>`).join('\n        ')}
      </dl>
      <p role="status">${Object.values(numbers).includes(null) ? 'The database does not answer.' : ''}</p>`;

/** Visible rows, in the order of the counts; undefined while the database does not respond. */
export type CountCatalogue = () => Promise<readonly number[] | undefined>;

const MIN_AGE_MS = 1000;

/** Counting is slow in a large catalogue: it is repeated only after 20 times its duration, however many requests there are. */
const REST_PER_WORK = 20;

export const createCatalogueCounts = (counts: readonly Count[], sql: Sql, clock: Clock): CountCatalogue => {
  let latest: ReturnType<CountCatalogue> | undefined;
  let keptUntilMs = 0;

  const count = async (): ReturnType<CountCatalogue> => {
    const startMs = performance.now();
    try {
      const now = new Date(clock.nowMs());
      const rows = await Promise.all(counts.map(({ statement }) => sql.rows<{ count: number }>(statement, [now])));
      return rows.map(([row]) => row?.count ?? 0);
    } catch {
      return undefined;
    } finally {
      const endMs = performance.now();
      keptUntilMs = endMs + Math.max(MIN_AGE_MS, (endMs - startMs) * REST_PER_WORK);
    }
  };

  return () => {
    if (latest === undefined || performance.now() >= keptUntilMs) {
      keptUntilMs = Number.POSITIVE_INFINITY;
      latest = count();
    }
    return latest;
  };
};
