import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import type { Change } from '../../cache/tags.ts';
import { textOfResult } from '../body-form.ts';
import type { Changes } from '../context.ts';
import type { EventSequence, Topic } from './event-sequence.ts';
import { type ChangeSource, MIN_INTERVAL_MS } from './topics.ts';

const NOTHING: Changes = { products: [], categories: [], notices: [], everything: false };
export const EVERYTHING: Changes = { ...NOTHING, everything: true };

/** A transaction of many rows is notified in parts. */
const COLLECT_MS = 20;

/** An operation on the change feed. */
interface Feed {
  /** Equal for equal operations. */
  readonly key: string;
  readonly run: (changes: Changes) => Promise<ExecutionResult>;
  /** The text of a result that names nothing it selects: no event. */
  readonly nothing: string;
}

/** What a listener has not heard of yet. */
interface Untold {
  readonly listener: EventSequence;
  readonly feed: Feed;
  /** When it may have its next event, by `performance.now()`. */
  notBeforeMs: number;
  changes: Changes;
  /** Whether its next event is being made. */
  isAwaited: boolean;
}

/**
 * The listeners of the change feed. They hear of a change once its notification is older than the bound of freshness: until then, another
 * gateway may still answer with the old data, and a cache outside would keep that answer. A listener that waits hears what has changed; for one
 * that does not read, changes are gathered.
 */
export class ChangeTopics {
  readonly #source: ChangeSource;
  readonly #untold = new Map<EventSequence, Untold>();
  #beginning = 0;
  /** The latest changes, and when the first of those was notified that came together, by `performance.now()`. */
  #notified: { readonly change: Change; readonly atMs: number }[] = [];
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
  async begin({ key, run }: Omit<Feed, 'nothing'>): Promise<(listener: EventSequence) => Topic> {
    const { freshnessMonitor, freshnessMs } = this.#source;
    // The first event tells what is past by then.
    await freshnessMonitor.plan();
    this.#beginning += 1;
    try {
      const result = await run(EVERYTHING);
      const feed: Feed = { key, run, nothing: textOfResult(await run(NOTHING)) };
      await delay(freshnessMs + COLLECT_MS);
      return (listener) => {
        // What is older than its first event is not told to it.
        this.#gather();
        const notBeforeMs = performance.now() + MIN_INTERVAL_MS;
        this.#untold.set(listener, { listener, feed, notBeforeMs, changes: NOTHING, isAwaited: false });
        return { first: () => ({ result }), leave: () => void this.#untold.delete(listener) };
      };
    } finally {
      this.#beginning -= 1;
    }
  }

  /** Tells all who wait what has changed; to be called again and again. */
  look(): void {
    if (!this.#isOn) return;
    void this.#plan();
    this.#gather();
    const nowMs = performance.now();
    const due = [...this.#untold.values()].filter(
      ({ changes, listener, isAwaited, notBeforeMs }) =>
        changes !== NOTHING && listener.isWaiting && !isAwaited && nowMs >= notBeforeMs,
    );
    // Most have been told the same before.
    for (const equal of Map.groupBy(due, ({ feed }) => feed.key).values())
      for (const [changes, group] of Map.groupBy(equal, (untold) => untold.changes)) void this.#tell(changes, group);
  }

  close(): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.#untold.clear();
  }

  get #isOn(): boolean {
    return this.#untold.size + this.#beginning > 0;
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
    const { atMs = Number.NEGATIVE_INFINITY } = this.#notified.at(-1) ?? {};
    this.#notified.push({ change, atMs: nowMs - atMs < COLLECT_MS ? atMs : nowMs });
  }

  /** Adds the changes that may be told by now to what each listener has not heard of. */
  #gather(): void {
    const untilMs = performance.now() - this.#source.freshnessMs - COLLECT_MS;
    const isOld = ({ atMs }: { readonly atMs: number }): boolean => atMs <= untilMs;
    const changes = namedBy(this.#notified.filter(isOld).map(({ change }) => change));
    this.#notified = this.#notified.filter((notified) => !isOld(notified));
    for (const untold of this.#untold.values()) untold.changes = union(untold.changes, changes);
  }

  async #tell(changes: Changes, group: readonly Untold[]): Promise<void> {
    const notBeforeMs = performance.now() + MIN_INTERVAL_MS;
    for (const untold of group) Object.assign(untold, { changes: NOTHING, isAwaited: true, notBeforeMs });
    const [{ feed }] = group as [Untold];
    const told = await feed.run(changes).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    for (const untold of group) {
      const { listener } = untold;
      untold.isAwaited = false;
      if ('result' in told) {
        if (textOfResult(told.result) !== feed.nothing) listener.onEvent(told);
      } else if (this.#source.kindOf(told.error) === 'other') listener.onFailure(told.error);
      else untold.changes = union(changes, untold.changes);
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

const namedBy = (changes: readonly Change[]): Changes => {
  const ids = { products: new Set<number>(), categories: new Set<number>(), notices: new Set<number>() };
  for (const { table, rows } of changes) {
    const [kind, idsOf] = NAMED[table] ?? [];
    if (!kind || !idsOf || !rows) return EVERYTHING;
    for (const id of rows[idsOf]) ids[kind].add(id);
  }
  return changesOf(ids);
};

/** @returns one of the two where the other adds nothing: listeners that hear of the same changes get the same object */
const union = (one: Changes, other: Changes): Changes => {
  if (one === NOTHING || other === EVERYTHING) return other;
  if (other === NOTHING || one === EVERYTHING) return one;
  return changesOf({
    products: new Set([...one.products, ...other.products]),
    categories: new Set([...one.categories, ...other.categories]),
    notices: new Set([...one.notices, ...other.notices]),
  });
};

const MAX_IDS = 1000;

type Ids = Readonly<Record<Exclude<keyof Changes, 'everything'>, ReadonlySet<number>>>;

/** In rising order. {@link EVERYTHING} where there are too many. */
const changesOf = ({ products, categories, notices }: Ids): Changes => {
  const count = products.size + categories.size + notices.size;
  if (count > MAX_IDS) return EVERYTHING;
  if (count === 0) return NOTHING;
  return { products: sorted(products), categories: sorted(categories), notices: sorted(notices), everything: false };
};

const sorted = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((one, other) => one - other);
