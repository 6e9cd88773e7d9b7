import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { apart } from '../../apart.ts';
import type { Change } from '../../cache/tags.ts';
import { AppError } from '../../errors.ts';
import { textOfResult } from '../body-form.ts';
import { ChangedIds, type Changes, EVERYTHING, NOTHING, union } from './changed-ids.ts';
import {
  type ChangeSource,
  type LiveEvent,
  MIN_INTERVAL_MS,
  RETRY_MS,
  type Topic,
  type TopicListener,
} from './topic.ts';

export type RunChanges = (changes: Changes) => Promise<ExecutionResult>;

/** A transaction of many rows is notified in parts. */
const COLLECT_MS = 20;

/**
 * The listeners of the change feed. They hear of a change once its notification is older than the bound of freshness: until then, another
 * gateway may still answer with the old data, and a cache outside would keep that answer.
 */
export class ChangeTopics {
  readonly #source: ChangeSource;
  readonly #topics = new Map<string, ChangeTopic>();
  #beginning = 0;
  /** When what each table shows next changes with time alone, as it was last known, by the database's clock. */
  readonly #nextMs = new Map<string, number>();
  readonly #unwatch: () => void;

  constructor(source: ChangeSource) {
    this.#source = source;
    this.#unwatch = source.tagVersions.watch((change) => void this.#onChange(change));
  }

  /**
   * Resolves with what joins a listener.
   * @param key equal for equal operations
   * @throws what the operation fails with; AppError BAD_USER_INPUT where no change is notified
   */
  async begin(key: string, run: RunChanges): Promise<(listener: TopicListener) => Topic> {
    const { freshnessMonitor, freshnessMs } = this.#source;
    if (freshnessMonitor.trustedUntilMs() !== undefined) {
      throw new AppError('BAD_USER_INPUT', 'With CHANGE_FEED=poll the gateway does not learn what has changed.');
    }
    const isFirst = !this.#isOn;
    this.#beginning += 1;
    try {
      if (isFirst) await this.#plan();
      const first = await run(EVERYTHING);
      const nothing = textOfResult(await run(NOTHING));
      await delay(freshnessMs);
      return (listener) => this.#topic(key, { run, first, nothing }).join(listener);
    } finally {
      this.#beginning -= 1;
    }
  }

  /**
   * Tells what has begun or ended with time alone; to be called again and again. Once a planned change is past, a later one may be, too,
   * until the next heartbeat says when the next one is: listeners hear of all of them after that.
   */
  look(): void {
    if (!this.#isOn) return;
    const { tagVersions, freshnessMonitor, clock } = this.#source;
    const nowMs = clock.nowMs();
    for (const { table } of tagVersions.tags.tables) {
      // Where it is not known, this asks for a heartbeat.
      const nextMs = freshnessMonitor.nextChangeMs(table, nowMs);
      if (nextMs === undefined) continue;
      const isToCome = nowMs < (this.#nextMs.get(table) ?? Number.NEGATIVE_INFINITY);
      this.#nextMs.set(table, nextMs);
      if (!isToCome) this.#hear({ table });
    }
  }

  close(): void {
    this.#unwatch();
    for (const topic of this.#topics.values()) topic.close();
  }

  get #isOn(): boolean {
    return this.#topics.size + this.#beginning > 0;
  }

  /** The first event tells what is past by then. */
  async #plan(): Promise<void> {
    const { tagVersions, freshnessMonitor } = this.#source;
    await freshnessMonitor.plan();
    for (const { table } of tagVersions.tags.tables) {
      const nextMs = freshnessMonitor.nextChangeMs(table);
      if (nextMs !== undefined) this.#nextMs.set(table, nextMs);
    }
  }

  async #onChange(change: Change): Promise<void> {
    if (!this.#isOn || change.isOfClock) return;
    // A row that has changed may begin before anything else that was planned. What begins before that is known, and a change that names no rows,
    // come with it.
    const isPlanned = await this.#source.freshnessMonitor.plan();
    this.look();
    if (!isPlanned) this.#nextMs.delete(change.table);
    if (isPlanned || change.rows) this.#hear(change);
  }

  #hear(change: Change): void {
    const tell = (): void => {
      for (const topic of this.#topics.values()) topic.add(change);
    };
    apart(() => setTimeout(tell, this.#source.freshnessMs).unref());
  }

  #topic(key: string, feed: Feed): ChangeTopic {
    let topic = this.#topics.get(key);
    if (!topic) {
      const onEmpty = (): void => void this.#topics.delete(key);
      topic = new ChangeTopic(feed, this.#source.kindOf, onEmpty);
      this.#topics.set(key, topic);
    }
    return topic;
  }
}

interface Feed {
  readonly run: RunChanges;
  /** The result for {@link EVERYTHING}, which each listener begins with. */
  readonly first: ExecutionResult;
  /** The text of a result that names nothing it selects: no event. */
  readonly nothing: string;
}

/** A listener, and the changes that it has not heard of yet. */
interface Untold {
  readonly listener: TopicListener;
  readonly joinedMs: number;
  changes: Changes;
  /** Whether its next event is being made. */
  isAwaited: boolean;
}

/** Equal operations on the change feed. A listener that waits hears what has changed; for one that does not read, changes are gathered. */
class ChangeTopic implements Topic {
  readonly #feed: Feed;
  readonly #kindOf: ChangeSource['kindOf'];
  readonly #onEmpty: () => void;
  readonly #untold = new Map<TopicListener, Untold>();
  #gathered = new ChangedIds();
  #toldMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: Feed, kindOf: ChangeSource['kindOf'], onEmpty: () => void) {
    this.#feed = feed;
    this.#kindOf = kindOf;
    this.#onEmpty = onEmpty;
  }

  join(listener: TopicListener): this {
    this.#untold.set(listener, { listener, joinedMs: performance.now(), changes: NOTHING, isAwaited: false });
    return this;
  }

  first(): LiveEvent {
    return { result: this.#feed.first };
  }

  add(change: Change): void {
    this.#gathered.addChange(change);
    this.#tellSoon();
  }

  onWaiting(listener: TopicListener): void {
    const untold = this.#untold.get(listener);
    if (untold && untold.changes !== NOTHING) this.#tellSoon();
  }

  leave(listener: TopicListener): void {
    this.#untold.delete(listener);
    if (this.#untold.size > 0) return;
    this.close();
    this.#onEmpty();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #tellSoon(afterMs = this.#toldMs + MIN_INTERVAL_MS - performance.now()): void {
    this.#timer ??= apart(() => setTimeout(() => this.#tell(), Math.max(COLLECT_MS, Math.ceil(afterMs))));
  }

  #tell(): void {
    this.#timer = undefined;
    this.#toldMs = performance.now();
    const changes = this.#gathered.toChanges();
    this.#gathered = new ChangedIds();
    const due: Untold[] = [];
    for (const untold of this.#untold.values()) {
      untold.changes = union(untold.changes, changes);
      if (untold.changes === NOTHING || untold.isAwaited || !untold.listener.isWaiting) continue;
      if (this.#toldMs - untold.joinedMs >= MIN_INTERVAL_MS) due.push(untold);
      else this.#tellSoon();
    }
    // Most have been told the same before.
    for (const [told, group] of Map.groupBy(due, (untold) => untold.changes)) void this.#tellTogether(told, group);
  }

  async #tellTogether(changes: Changes, group: readonly Untold[]): Promise<void> {
    for (const untold of group) {
      untold.changes = NOTHING;
      untold.isAwaited = true;
    }
    const { run, nothing } = this.#feed;
    let result: ExecutionResult | undefined;
    let failure: unknown;
    try {
      result = await run(changes);
    } catch (error) {
      failure = error;
    }
    const isEvent = result !== undefined && textOfResult(result) !== nothing;
    const isLost = result === undefined && this.#kindOf(failure) === 'other';
    for (const untold of group) {
      const { listener } = untold;
      untold.isAwaited = false;
      if (isEvent) listener.onEvent({ result: result as ExecutionResult });
      else if (isLost) listener.onFailure(failure);
      else if (result === undefined) untold.changes = union(changes, untold.changes);
      // Changes have come meanwhile.
      if (untold.changes !== NOTHING && listener.isWaiting) this.#tellSoon(result ? undefined : RETRY_MS);
    }
  }
}
