import packageJson from '../../package.json' with { type: 'json' };
import type { Access } from '../access/access.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { Clock } from '../database/clock.ts';
import type { Sql, Statement } from '../database/sql.ts';
import { type GatewayRequest, type GatewayResponse, jsonResponse } from '../http/message.ts';
import { pageHeaders } from '../http/response-headers.ts';
import { FRONT_PAGE_SOURCES, type QueryForm, relative, renderFrontPage } from './front-page.html.ts';

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
export type Numbers = Readonly<Record<string, number | null>>;

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
  /** Undefined where a browser could not run any query: it has no access token, or only trusted documents are run. */
  readonly query: QueryForm | undefined;
  readonly links: readonly FrontPageLink[];
  readonly counts: readonly Count[];
  readonly countCatalogue: CountCatalogue;
  readonly responseCache: Pick<ResponseCache, 'stats' | 'size'>;
  readonly admit: Access['admitToPage'];
}

export const createFrontPage = ({
  freshnessMs,
  query,
  links,
  counts,
  countCatalogue,
  responseCache,
  admit,
}: Deps): FrontPage => {
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
    if (!accept?.includes('text/html')) return jsonResponse(200, { name, description, ...state, links: hrefs }, common);
    return {
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        ...common,
        ...pageHeaders(FRONT_PAGE_SOURCES),
      },
      body: renderFrontPage({ description, freshnessMs, ...(query ? { query } : {}), links, counts, ...state }),
    };
  };
};

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
