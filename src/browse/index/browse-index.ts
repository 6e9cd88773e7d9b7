import type { Logger } from 'pino';
import type { FreshnessMonitor } from '../../cache/freshness-monitor.ts';
import type { CacheHints } from '../../cache/hints.ts';
import type { TagVersions } from '../../cache/tags.ts';
import { oneRow, withConnection } from '../../database/client.ts';
import type { Clock } from '../../database/clock.ts';
import { connectionConfig } from '../../database/connection.ts';
import type { Sql, Statement } from '../../database/sql.ts';
import type { BrowseEngine, BrowseResult, Suggestion } from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { fold } from '../words.ts';
import {
  type IndexStatus,
  type IndexThread,
  NO_INDEX,
  type Questions,
  startIndexThread,
  type ThreadOptions,
} from './index-thread.ts';
import type { Suggested } from './suggestions.ts';

/** The index of products in memory, with what decides when it answers. */
export interface BrowseIndex {
  /** Begins to fill the index, where the catalogue is large enough; a question does it too. */
  readonly start: () => Promise<void>;
  /** Asks the index where it is as fresh as the database, and otherwise the other engine. For one operation. */
  readonly before: (sql: BrowseEngine, hints: CacheHints) => BrowseEngine;
  readonly status: () => IndexStatus;
  /** Whether there is to be an index that was never ready yet. */
  readonly isAwaited: () => boolean;
  readonly answers: { index: number; sql: number };
  readonly close: () => Promise<void>;
}

interface Deps {
  /** Undefined where changes are not notified, or there is no memory for an index: then there is none. */
  readonly thread: ThreadOptions | undefined;
  readonly minProducts?: number;
  readonly freshnessMonitor: Pick<FreshnessMonitor, 'isFresh' | 'freshen' | 'asOfMs'>;
  readonly tagVersions: Pick<TagVersions, 'watch'>;
  readonly clock: Clock;
  readonly sql: Sql;
  readonly log: Logger;
}

/** A thread takes some 70 MB. At this size a page with facets takes 3 ms in place of 23 (`bench:browse -- --products 5000`). */
const MIN_PRODUCTS = 5000;

const LOOK_AGAIN_MS = 60_000;

/** What is asked for another time is a preview. */
const PRESENT_MS = 30_000;

const LOOK_TIMEOUT_MS = 5000;

const COUNT_UP_TO = `select count(*)::int as count from (select from product where status = 'ON_SALE' limit $1) first`;

const NAMES: Statement = {
  name: 'browse_names',
  text: 'select id, name from product where id = any($1::int[])',
};

export const createBrowseIndex = ({
  thread: options,
  minProducts = MIN_PRODUCTS,
  freshnessMonitor,
  tagVersions,
  clock,
  sql,
  log,
}: Deps): BrowseIndex => {
  const answers = { index: 0, sql: 0 };
  let thread: IndexThread | undefined;
  let unwatch: (() => void) | undefined;
  let isClosed = false;
  let wasSmall = false;
  let lookedMs = Number.NEGATIVE_INFINITY;

  const start = async (): Promise<void> => {
    if (!options || thread || performance.now() - lookedMs < LOOK_AGAIN_MS) return;
    lookedMs = performance.now();
    try {
      const count = await withConnection(connectionConfig(options.databaseUrl), LOOK_TIMEOUT_MS, async (client) => {
        await client.query('set jit = off');
        return (await oneRow<{ count: number }>(client, COUNT_UP_TO, [minProducts])).count;
      });
      if (count < minProducts) wasSmall = true;
      if (isClosed || thread || count < minProducts) return;
      thread = startIndexThread(options, log);
      unwatch = tagVersions.watch(thread.changed);
    } catch (error) {
      if (!isClosed) log.warn({ err: error }, 'the index of products could not be started');
      lookedMs = Number.NEGATIVE_INFINITY;
    }
  };

  const namesOf = async (ids: readonly number[]): Promise<Map<number, string>> =>
    new Map((await sql.rows<{ id: number; name: string }>(NAMES, [ids])).map(({ id, name }) => [id, name]));

  const before = (other: BrowseEngine, hints: CacheHints): BrowseEngine => {
    /** Undefined where PostgreSQL has to answer, also where `give` can make no answer of the reply. */
    const fromIndex = async <Name extends keyof Questions, Answer>(
      name: Name,
      asked: Questions[Name]['asked'],
      give: (reply: Questions[Name]['answer']) => Promise<Answer | undefined>,
    ): Promise<Answer | undefined> => {
      void start();
      const isPresent = Math.abs(clock.nowMs() - asked.now.getTime()) < PRESENT_MS;
      const isReady = thread?.status().isBrowsable === true && isPresent && hints.asOfMs !== undefined;
      if (thread && isReady && (freshnessMonitor.isFresh() || (await freshnessMonitor.freshen()))) {
        const asOfMs = freshnessMonitor.asOfMs();
        const reply = await thread.ask(name, asked);
        const answer = reply && (await give(reply));
        if (answer !== undefined) {
          hints.readsAsOf(asOfMs);
          answers.index += 1;
          return answer;
        }
      }
      answers.sql += 1;
      return undefined;
    };
    return {
      search: async (request) =>
        (await fromIndex('search', request, async (found) =>
          request.order === 'NAME_ASC' ? withNames(found) : found,
        )) ?? other.search(request),
      suggest: async (request) => {
        const { terms, now, limit } = request;
        // More products than are asked for, as some have the same name.
        const asked = { terms, now, maxProducts: limit * 4 + 20 };
        return (await fromIndex('suggest', asked, (found) => toSuggestions(found, limit))) ?? other.suggest(request);
      },
      correct: async (terms, now) => {
        const found = await fromIndex('correct', { terms, now }, async (reply) => reply);
        return found ? found.terms : other.correct(terms, now);
      },
    };
  };

  const withNames = async (found: BrowseResult): Promise<BrowseResult | undefined> => {
    const names = await namesOf(found.items.map(({ id }) => id));
    const items = found.items.flatMap(({ id, position }) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ id, position: [name, ...position] }];
    });
    return items.length === found.items.length ? { ...found, items } : undefined;
  };

  const toSuggestions = async (found: Suggested, limit: number): Promise<Suggestion[] | undefined> => {
    const nameless = found.products.filter(({ name }) => name === undefined).map(({ id }) => id);
    return mergeSuggestions(found, nameless.length > 0 ? await namesOf(nameless) : new Map(), limit);
  };

  return {
    start,
    before,
    status: () => thread?.status() ?? NO_INDEX,
    isAwaited: () => !wasSmall && (thread ? thread.isAwaited() : options !== undefined),
    answers,
    close: async () => {
      isClosed = true;
      unwatch?.();
      await thread?.stop();
    },
  };
};

const KINDS: readonly Suggestion['kind'][] = ['CATEGORY', 'BRAND', 'TAG', 'PRODUCT'];

/**
 * The first suggestions of all kinds, each text once.
 * @param names of the products that have none
 * @returns undefined where products that are not among those might come before the last
 */
const mergeSuggestions = (
  { products, hasMore, others }: Suggested,
  names: ReadonlyMap<number, string>,
  limit: number,
): Suggestion[] | undefined => {
  const named = products.flatMap(({ id, sales, publishedAt, name }) => {
    const text = name ?? names.get(id);
    return text === undefined ? [] : [{ kind: 'PRODUCT' as const, text, sales, id, publishedAt }];
  });
  const last = named.at(-1);
  const seen = new Set<string>();
  const first: Suggestion[] = [];
  for (const suggestion of [...others, ...named].sort(compare)) {
    if (first.length === limit) break;
    const folded = fold(suggestion.text);
    if (!seen.has(folded)) first.push(suggestion);
    seen.add(folded);
    if (hasMore && suggestion === last && first.length < limit) return undefined;
  }
  if (hasMore && first.length < limit) return undefined;
  return first.map(({ publishedAt: _, ...suggestion }: Ranked) => suggestion);
};

type Ranked = Suggestion & { readonly publishedAt?: number };

const compare = (a: Ranked, b: Ranked): number =>
  b.sales - a.sales ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  (b.publishedAt ?? 0) - (a.publishedAt ?? 0) ||
  (a.kind === 'PRODUCT' ? 0 : compareCodePoints(a.text, b.text)) ||
  b.id - a.id;
