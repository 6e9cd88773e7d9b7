import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import type { Change } from '../../cache/tags.ts';
import { builder, LIVE_FIELD } from '../builder.ts';
import type { Changes } from '../context.ts';
import { failureKindOf } from '../failures.ts';
import type { EventSequence, Topic } from './event-sequence.ts';
import { type ChangeSource, MIN_INTERVAL_MS } from './topics.ts';

const NOTHING: Changes = { products: [], categories: [], notices: [], everything: false };
const EVERYTHING: Changes = { ...NOTHING, everything: true };

const ChangesType = builder.objectRef<Changes>('Changes').implement({
  description: 'Rows that were inserted, updated or deleted, visible or not; a variant names its product.',
  fields: (t) => {
    const idsOf = (name: 'products' | 'categories' | 'notices') =>
      t.field({
        type: ['Int'],
        description: `The ids of ${name}. None with \`everything\`.`,
        resolve: (changes) => [...changes[name]],
      });
    return {
      products: idsOf('products'),
      categories: idsOf('categories'),
      notices: idsOf('notices'),
      everything: t.exposeBoolean('everything', {
        description:
          'Anything may have changed: at the beginning, when something begins or ends by its date, after a truncate or a lost connection to the database, and for more than 1,000 rows.',
      }),
    };
  },
});

export const CHANGES_FIELD = 'changes';

builder.subscriptionField(CHANGES_FIELD, (t) =>
  t.field({
    ...LIVE_FIELD,
    type: ChangesType,
    description:
      'What has changed since the last event, for caches outside: at most ten events a second, each once every gateway shows what it names.',
    resolve: (_, __, { changes = EVERYTHING }) => changes,
  }),
);

/** A transaction of many rows is notified in parts. */
const COLLECT_MS = 20;

/** A listener that has more to hear of hears of everything. */
const MAX_ROWS = 1000;

/** An operation on the change feed. */
interface Feed {
  /** Equal for equal operations. */
  readonly key: string;
  readonly run: (changes: Changes) => Promise<ExecutionResult>;
  /** The text of a result that names nothing it selects: no event. */
  readonly nothing: string;
}

interface Listener {
  readonly events: EventSequence;
  readonly feed: Feed;
  /** The number of the last change that it has heard of. */
  told: number;
  /** When it may have its next event, by `performance.now()`. */
  notBeforeMs: number;
  /** Whether its next event is being made. */
  isAwaited: boolean;
}

/**
 * The listeners of the change feed. They hear of a change once its notification is older than the bound of freshness: until then, another
 * gateway may still answer with the old data, and a cache outside would keep that answer. A listener that waits hears what has changed; for one
 * that does not read, changes stay in the log.
 */
export class ChangeFeed {
  readonly #source: ChangeSource;
  readonly #listeners = new Set<Listener>();
  #beginning = 0;
  /** The latest changes, and when the first of those was notified that came together, by `performance.now()`. */
  readonly #log: { readonly change: Change; readonly atMs: number }[] = [];
  /** How many changes came before those of the log. */
  #dropped = 0;
  /** Those that name no rows, while it is not known when what they have changed begins or ends. */
  readonly #unnamed: Change[] = [];
  readonly #unwatch: (() => void)[];

  constructor(source: ChangeSource) {
    this.#source = source;
    const { tagVersions, freshnessMonitor } = source;
    this.#unwatch = [
      tagVersions.watch((change) => this.#onChange(change)),
      freshnessMonitor.watchTime((table) => this.#notify({ table })),
    ];
  }

  /** Resolves with what joins a listener. @throws what the operation fails with */
  async begin({ key, run }: Omit<Feed, 'nothing'>): Promise<(events: EventSequence) => Topic> {
    const { freshnessMonitor, freshnessMs } = this.#source;
    // The first event tells what is past by then.
    await freshnessMonitor.plan();
    this.#beginning += 1;
    try {
      const result = await run(EVERYTHING);
      // How the names of no rows are written depends on what the operation selects: it is asked once.
      const feed: Feed = { key, run, nothing: JSON.stringify(await run(NOTHING)) };
      await delay(freshnessMs + COLLECT_MS);
      return (events) => {
        // What is older than its first event is not told to it.
        const told = this.#ripe();
        const listener = { events, feed, told, notBeforeMs: performance.now() + MIN_INTERVAL_MS, isAwaited: false };
        this.#listeners.add(listener);
        return { first: () => ({ result }), leave: () => void this.#listeners.delete(listener) };
      };
    } finally {
      this.#beginning -= 1;
    }
  }

  /** Tells all who wait what has changed; to be called again and again. */
  look(): void {
    if (!this.#isOn) return;
    void this.#plan();
    const ripe = this.#ripe();
    const nowMs = performance.now();
    const due = [...this.#listeners].filter(
      ({ told, events, isAwaited, notBeforeMs }) =>
        told < ripe && events.isWaiting && !isAwaited && nowMs >= notBeforeMs,
    );
    // Most have been told the same before.
    for (const equal of Map.groupBy(due, ({ feed }) => feed.key).values())
      for (const [told, group] of Map.groupBy(equal, (listener) => listener.told)) void this.#tell(group, told, ripe);
    this.#dropWhatIsTold(ripe);
  }

  close(): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.#listeners.clear();
  }

  get #isOn(): boolean {
    return this.#listeners.size + this.#beginning > 0;
  }

  #onChange(change: Change): void {
    if (!this.#isOn || change.isOfClock) return;
    if (change.rows) this.#notify(change);
    else {
      this.#unnamed.push(change);
      void this.#plan();
    }
  }

  /** Asks when the next planned change is. Of rows that are not named it is not known before: what has begun by then comes with the change. */
  async #plan(): Promise<void> {
    if (!(await this.#source.freshnessMonitor.plan())) return;
    for (const change of this.#unnamed.splice(0)) this.#notify(change);
  }

  #notify(change: Change): void {
    if (!this.#isOn) return;
    const nowMs = performance.now();
    const { atMs = Number.NEGATIVE_INFINITY } = this.#log.at(-1) ?? {};
    this.#log.push({ change, atMs: nowMs - atMs < COLLECT_MS ? atMs : nowMs });
  }

  /** The number of the last change that may be told by now. */
  #ripe(): number {
    const untilMs = performance.now() - this.#source.freshnessMs - COLLECT_MS;
    const next = this.#log.findIndex(({ atMs }) => atMs > untilMs);
    return this.#dropped + (next < 0 ? this.#log.length : next);
  }

  /** Drops what all have heard of by now, and what is too much to tell. */
  #dropWhatIsTold(ripe: number): void {
    let last = ripe;
    for (const { told } of this.#listeners) last = Math.min(last, told);
    const count = Math.max(last - this.#dropped, this.#log.length - MAX_ROWS, 0);
    this.#log.splice(0, count);
    this.#dropped += count;
  }

  /** Tells equal listeners, which have heard of as much, of the changes from one number to another. */
  async #tell(group: readonly Listener[], from: number, to: number): Promise<void> {
    const [{ feed }] = group as [Listener];
    const notBeforeMs = performance.now() + MIN_INTERVAL_MS;
    for (const listener of group) Object.assign(listener, { isAwaited: true, notBeforeMs });
    const isDropped = from < this.#dropped;
    const told = this.#log.slice(from - this.#dropped, to - this.#dropped);
    try {
      const result = await feed.run(isDropped ? EVERYTHING : namedBy(told.map(({ change }) => change)));
      const isEvent = JSON.stringify(result) !== feed.nothing;
      for (const listener of group) {
        listener.told = to;
        // It may have left meanwhile.
        if (isEvent && this.#listeners.has(listener)) listener.events.onEvent({ result });
      }
    } catch (error) {
      // What may pass is tried again.
      if (failureKindOf(error) === 'other') for (const { events } of group) events.end('failure', error);
    } finally {
      for (const listener of group) listener.isAwaited = false;
    }
  }
}

/** The kind of object that a change of a table names, and by which of its ids. */
const NAMED: Readonly<Record<string, readonly [kind: Exclude<keyof Changes, 'everything'>, ids: 'ids' | 'groupIds']>> =
  {
    product: ['products', 'ids'],
    product_variant: ['products', 'groupIds'],
    category: ['categories', 'ids'],
    notice: ['notices', 'ids'],
  };

/** The rows of changes, in rising order. */
const namedBy = (changes: readonly Change[]): Changes => {
  const ids = { products: new Set<number>(), categories: new Set<number>(), notices: new Set<number>() };
  for (const { table, rows } of changes) {
    const [kind, idsOf] = NAMED[table] ?? [];
    if (!kind || !idsOf || !rows) return EVERYTHING;
    for (const id of rows[idsOf]) ids[kind].add(id);
  }
  const { products, categories, notices } = ids;
  if (products.size + categories.size + notices.size > MAX_ROWS) return EVERYTHING;
  return { products: sorted(products), categories: sorted(categories), notices: sorted(notices), everything: false };
};

const sorted = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((one, other) => one - other);
