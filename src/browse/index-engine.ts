import type { Logger } from 'pino';
import type { Dependencies } from '../cache/dependencies.ts';
import type { FreshnessMonitor } from '../cache/freshness-monitor.ts';
import type { TagVersions } from '../cache/tags.ts';
import type { Clock } from '../database/clock.ts';
import { connectionConfig, oneRow, SET_SESSION, withConnection } from '../database/connection.ts';
import type { Sql } from '../database/sql.ts';
import { namesIn, statementIn } from '../language/shown.ts';
import type { BrowseEngine, BrowseResult, FallBacks, Suggestion, SuggestionRequest } from './browse-engine.ts';
import {
  type IndexStatus,
  IndexThread,
  NO_INDEX,
  type Questions,
  type Suggested,
  type ThreadOptions,
} from './index/thread.ts';
import { compareCodePoints } from './order.ts';
import { fold } from './words.ts';

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

/** The index of products in memory, with what decides when it answers. */
export class BrowseIndex {
  readonly answers = { index: 0, sql: 0 };
  readonly #deps: Deps;
  #thread: IndexThread | undefined;
  #unwatch: (() => void) | undefined;
  #isClosed = false;
  #wasSmall = false;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  readonly status = (): IndexStatus => this.#thread?.status ?? NO_INDEX;

  /** Whether there is to be an index that was never ready yet. */
  readonly isAwaited = (): boolean =>
    !this.#wasSmall && (this.#thread ? this.#thread.isAwaited : this.#deps.thread !== undefined);

  /** Begins to fill the index, where the catalogue is large enough; a question does it too. */
  readonly start = async (): Promise<void> => {
    const { thread: options, minProducts = MIN_PRODUCTS, tagVersions, log } = this.#deps;
    if (!options || this.#thread || performance.now() - this.#lookedMs < LOOK_AGAIN_MS) return;
    this.#lookedMs = performance.now();
    try {
      const count = await withConnection(connectionConfig(options.databaseUrl), LOOK_TIMEOUT_MS, async (client) => {
        await client.query(SET_SESSION);
        return (await oneRow<{ count: number }>(client, COUNT_UP_TO, [minProducts])).count;
      });
      if (count < minProducts) this.#wasSmall = true;
      if (this.#isClosed || this.#thread || count < minProducts) return;
      const thread = new IndexThread(options, log);
      this.#thread = thread;
      this.#unwatch = tagVersions.watch((change) => thread.changed(change));
    } catch (error) {
      if (!this.#isClosed) log.warn({ err: error }, 'the index of products could not be started');
      this.#lookedMs = Number.NEGATIVE_INFINITY;
    }
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#unwatch?.();
    await this.#thread?.stop();
  };

  /** Asks the index where it is as fresh as the database, and otherwise the other engine. For one operation. */
  before(other: BrowseEngine, dependencies: Dependencies): BrowseEngine {
    return {
      search: async (request) => {
        const { order, languages } = request;
        const give = async (found: BrowseResult) => (order === 'NAME_ASC' ? this.#withNames(found, languages) : found);
        return (await this.#ask('search', request, dependencies, give)) ?? other.search(request);
      },
      suggest: async (request) => {
        const { limit, ...rest } = request;
        // More products than are asked for, as some have the same name.
        const asked = { ...rest, maxProducts: limit * 4 + 20 };
        const give = (found: Suggested) => this.#toSuggestions(found, request);
        return (await this.#ask('suggest', asked, dependencies, give)) ?? other.suggest(request);
      },
      correct: async (terms, now, languages) => {
        const found = await this.#ask('correct', { terms, now, languages }, dependencies, async (reply) => reply);
        return found ? found.terms : other.correct(terms, now, languages);
      },
    };
  }

  /** @returns undefined where PostgreSQL has to answer, also where `give` can make no answer of the reply */
  async #ask<Name extends keyof Questions, Answer>(
    name: Name,
    asked: Questions[Name]['asked'],
    dependencies: Dependencies,
    give: (reply: Questions[Name]['answer']) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    void this.start();
    const { freshnessMonitor, clock } = this.#deps;
    const thread = this.#thread;
    const isPresent = Math.abs(clock.nowMs() - asked.now.getTime()) < PRESENT_MS;
    const isReady = thread?.status.isReady === true && isPresent && dependencies.asOfMs !== undefined;
    if (thread && isReady && (freshnessMonitor.isFresh() || (await freshnessMonitor.freshen()))) {
      const asOfMs = freshnessMonitor.asOfMs();
      const reply = await thread.ask(name, asked);
      const answer = reply && (await give(reply));
      if (answer !== undefined) {
        dependencies.readsAsOf(asOfMs);
        this.answers.index += 1;
        return answer;
      }
    }
    this.answers.sql += 1;
    return undefined;
  }

  async #namesOf(ids: readonly number[], languages: FallBacks): Promise<Map<number, string>> {
    const { joins, name } = namesIn(languages);
    const statement = {
      name: statementIn('browse_names', languages),
      text: `select p.id, ${name} as name from product p${joins} where p.id = any($1::int[])`,
    };
    const rows = await this.#deps.sql.rows<{ id: number; name: string }>(statement, [ids]);
    return new Map(rows.map((row) => [row.id, row.name]));
  }

  async #withNames(found: BrowseResult, languages: FallBacks): Promise<BrowseResult | undefined> {
    const names = await this.#namesOf(
      found.items.map(({ id }) => id),
      languages,
    );
    const items = found.items.flatMap(({ id, position }) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ id, position: [name, ...position] }];
    });
    return items.length === found.items.length ? { ...found, items } : undefined;
  }

  async #toSuggestions(found: Suggested, { limit, languages }: SuggestionRequest): Promise<Suggestion[] | undefined> {
    const nameless = found.products.filter(({ name }) => name === undefined).map(({ id }) => id);
    return mergeSuggestions(found, nameless.length > 0 ? await this.#namesOf(nameless, languages) : new Map(), limit);
  }
}

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
  const named = products.flatMap(({ id, sales, name }): Suggestion[] => {
    const text = name ?? names.get(id);
    return text === undefined ? [] : [{ kind: 'PRODUCT', text, sales, id }];
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
  return first;
};

/** Equal products stay as they come. */
const compare = (a: Suggestion, b: Suggestion): number =>
  b.sales - a.sales ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  (a.kind === 'PRODUCT' ? 0 : compareCodePoints(a.text, b.text) || b.id - a.id);
