import type { Logger } from 'pino';
import type { Dependencies } from '../cache/dependencies.ts';
import type { FreshnessMonitor } from '../cache/freshness-monitor.ts';
import type { TagVersions } from '../cache/tags.ts';
import type { Clock } from '../database/clock.ts';
import { connectionConfig, oneRow, SET_SESSION, withConnection } from '../database/connection.ts';
import type { Answer, Asked, BrowseEngine } from './browse-engine.ts';
import { type IndexStatus, IndexThread, NO_INDEX, type ThreadOptions } from './index/thread.ts';

interface Deps {
  /** Undefined where changes are not notified, or there is no memory for an index: then there is none. */
  readonly thread: ThreadOptions | undefined;
  readonly minProducts?: number;
  readonly freshnessMonitor: Pick<FreshnessMonitor, 'isFresh' | 'freshen' | 'asOfMs'>;
  readonly tagVersions: Pick<TagVersions, 'watch'>;
  readonly clock: Clock;
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
  /** Whether there is to be an index that was never ready yet. */
  isAwaited: boolean;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.isAwaited = deps.thread !== undefined;
  }

  readonly status = (): IndexStatus => this.#thread?.status ?? NO_INDEX;

  /** Begins to fill the index, where the catalogue is large enough, also again after its thread has died; a question does it too. */
  readonly start = async (): Promise<void> => {
    const { thread: options, minProducts = MIN_PRODUCTS, tagVersions, log } = this.#deps;
    if (!options || this.#thread || performance.now() - this.#lookedMs < LOOK_AGAIN_MS) return;
    this.#lookedMs = performance.now();
    try {
      const count = await withConnection(connectionConfig(options.databaseUrl), LOOK_TIMEOUT_MS, async (client) => {
        await client.query(SET_SESSION);
        return (await oneRow<{ count: number }>(client, COUNT_UP_TO, [minProducts])).count;
      });
      const onDecided = (): void => {
        this.isAwaited = false;
      };
      if (count < minProducts) onDecided();
      if (this.#isClosed || this.#thread || count < minProducts) return;
      const thread = new IndexThread(options, log, onDecided, (wasReady) => this.#forget(wasReady));
      this.#thread = thread;
      this.#unwatch = tagVersions.watch((change) => thread.changed(change));
    } catch (error) {
      if (!this.#isClosed) log.warn({ err: error }, 'the index of products could not be started');
      this.#lookedMs = Number.NEGATIVE_INFINITY;
    }
  };

  #forget(wasReady: boolean): void {
    if (this.#isClosed) return;
    this.#unwatch?.();
    this.#thread = undefined;
    // What has died before it was ready would soon die again.
    if (wasReady) this.#lookedMs = Number.NEGATIVE_INFINITY;
  }

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    this.#unwatch?.();
    await this.#thread?.stop();
  };

  /** Asks the index where it is as fresh as the database, and otherwise the other engine. For one operation. */
  before(other: BrowseEngine, dependencies: Dependencies): BrowseEngine {
    const either =
      <Name extends keyof BrowseEngine>(name: Name) =>
      async (asked: Asked<Name>): Promise<Answer<Name>> => {
        const found = await this.#ask(name, asked, dependencies);
        const askOther = other[name] as (asked: Asked<Name>) => Promise<Answer<Name>>;
        return found ? found.answer : askOther(asked);
      };
    return { search: either('search'), suggest: either('suggest'), correct: either('correct') };
  }

  /** @returns undefined where PostgreSQL has to answer */
  async #ask<Name extends keyof BrowseEngine>(
    name: Name,
    asked: Asked<Name>,
    dependencies: Dependencies,
  ): Promise<{ readonly answer: Answer<Name> } | undefined> {
    void this.start();
    const { freshnessMonitor, clock } = this.#deps;
    const thread = this.#thread;
    const isPresent = Math.abs(clock.nowMs() - asked.now.getTime()) < PRESENT_MS;
    const isReady = thread?.status.isReady === true && isPresent && dependencies.asOfMs !== undefined;
    if (thread && isReady && (freshnessMonitor.isFresh() || (await freshnessMonitor.freshen()))) {
      const asOfMs = freshnessMonitor.asOfMs();
      const found = await thread.ask(name, asked);
      if (found) {
        dependencies.readsAsOf(asOfMs);
        this.answers.index += 1;
        return found;
      }
    }
    this.answers.sql += 1;
    return undefined;
  }
}
