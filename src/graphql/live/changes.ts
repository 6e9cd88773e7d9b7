import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import type { Change } from '../../cache/tags.ts';
import { AppError } from '../../errors.ts';
import { textOfResult } from '../body-form.ts';
import { builder, LIVE_FIELD } from '../builder.ts';
import type { Changes } from '../context.ts';
import { type ChangeSource, MIN_INTERVAL_MS, RETRY_MS, type Topic, type TopicListener } from './topics.ts';

const MAX_IDS = 1000;

const NOTHING: Changes = { products: [], categories: [], notices: [], everything: false };
const EVERYTHING: Changes = { ...NOTHING, everything: true };

const ChangesType = builder.objectRef<Changes>('Changes').implement({
  description: 'Rows that were inserted, updated or deleted, visible or not; a variant names its product.',
  fields: (t) => {
    const idsOf = (name: Kind) =>
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

type Kind = Exclude<keyof Changes, 'everything'>;

/** Of a change of a table: what it names, and by which of its ids. */
const NAMED: Readonly<Record<string, readonly [kind: Kind, ids: 'ids' | 'groupIds']>> = {
  product: ['products', 'ids'],
  product_variant: ['products', 'groupIds'],
  category: ['categories', 'ids'],
  notice: ['notices', 'ids'],
};

/** The ids that are not sent yet; undefined: everything. */
type Gathered = Record<Kind, Set<number>> | undefined;

const nothingYet = (): Gathered => ({ products: new Set(), categories: new Set(), notices: new Set() });

const withChange = (gathered: Gathered, { table, rows }: Change): Gathered => {
  const named = NAMED[table];
  if (!gathered || !rows || !named) return undefined;
  const [kind, ids] = named;
  for (const id of rows[ids]) gathered[kind].add(id);
  const { products, categories, notices } = gathered;
  return products.size + categories.size + notices.size > MAX_IDS ? undefined : gathered;
};

const sorted = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((one, other) => one - other);

const toChanges = (gathered: Gathered): Changes =>
  gathered
    ? {
        products: sorted(gathered.products),
        categories: sorted(gathered.categories),
        notices: sorted(gathered.notices),
        everything: false,
      }
    : EVERYTHING;

/** Equal operations on the change feed. */
interface State extends Topic {
  readonly listeners: Set<TopicListener>;
  readonly run: RunChanges;
  /** The text of a result that names nothing it selects: no event. */
  readonly nothing: string;
  gathered: Gathered;
  sentMs: number;
  timer: NodeJS.Timeout | undefined;
}

export type RunChanges = (changes: Changes) => Promise<ExecutionResult>;

/** A transaction of many rows is notified in parts. */
const COLLECT_MS = 20;

/**
 * The listeners of the change feed. A change is sent when it was notified longer ago than the bound of freshness: before, another gateway may still answer as it was,
 * and a cache outside would keep that.
 */
export const createChangeTopics = (source: ChangeSource) => {
  const { tagVersions, freshnessMonitor, clock, freshnessMs, kindOf } = source;
  const topics = new Map<string, State>();
  let beginning = 0;
  /** When what a table shows next changes with time alone, by the database's clock. */
  const planned = new Map<string, number>();
  const apart = AsyncLocalStorage.snapshot();

  const hear = (change: Change): void => void apart(() => setTimeout(gather, freshnessMs, change).unref());

  const unwatch = tagVersions.watch((change) => {
    if (topics.size + beginning > 0 && !change.isOfClock) hear(change);
  });

  const look = (): void => {
    if (topics.size === 0) return;
    const nowMs = clock.nowMs();
    for (const { table } of tagVersions.tags.tables) {
      const isOver = nowMs >= (planned.get(table) ?? Number.POSITIVE_INFINITY);
      if (isOver) hear({ table });
      const nextMs = freshnessMonitor.nextChangeMs(table);
      if (nextMs !== undefined) planned.set(table, nextMs);
      else if (isOver) planned.delete(table);
    }
  };

  const gather = (change: Change): void => {
    for (const topic of topics.values()) {
      topic.gathered = withChange(topic.gathered, change);
      sendLater(topic, topic.sentMs + MIN_INTERVAL_MS - performance.now());
    }
  };

  const sendLater = (topic: State, ms: number): void => {
    topic.timer ??= setTimeout(() => void send(topic), Math.max(COLLECT_MS, ms));
  };

  const send = async (topic: State): Promise<void> => {
    const changes = toChanges(topic.gathered);
    topic.gathered = nothingYet();
    topic.sentMs = performance.now();
    topic.timer = undefined;
    try {
      const result = await topic.run(changes);
      if (textOfResult(result) === topic.nothing) return;
      for (const listener of topic.listeners) listener.onEvent(result);
    } catch (error) {
      if (kindOf(error) === 'other') {
        for (const listener of topic.listeners) listener.onFailure(error);
        return;
      }
      topic.gathered = undefined;
      sendLater(topic, RETRY_MS);
    }
  };

  const open = (key: string, run: RunChanges, first: ExecutionResult, nothing: string): State => {
    const listeners = new Set<TopicListener>();
    const topic: State = {
      listeners,
      run,
      nothing,
      gathered: nothingYet(),
      sentMs: Number.NEGATIVE_INFINITY,
      timer: undefined,
      event: () => first,
      leave: (listener) => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(topic.timer);
        topics.delete(key);
        if (topics.size === 0) planned.clear();
      },
    };
    topics.set(key, topic);
    return topic;
  };

  return {
    /**
     * Resolves with what joins a listener.
     * @param key equal for equal operations
     * @throws what the operation fails with; AppError BAD_USER_INPUT where no change is notified
     */
    begin: async (key: string, run: RunChanges): Promise<(listener: TopicListener) => Topic> => {
      if (freshnessMonitor.trustedUntilMs() !== undefined) {
        throw new AppError('BAD_USER_INPUT', 'With CHANGE_FEED=poll the gateway does not learn what has changed.');
      }
      beginning += 1;
      try {
        const first = await run(EVERYTHING);
        const nothing = textOfResult(await run(NOTHING));
        await delay(freshnessMs);
        return (listener) => {
          const topic = topics.get(key) ?? open(key, run, first, nothing);
          topic.listeners.add(listener);
          return topic;
        };
      } finally {
        beginning -= 1;
      }
    },
    /** To be called again and again: it finds what begins or ends with time alone. */
    look,
    close: (): void => {
      unwatch();
      for (const topic of topics.values()) clearTimeout(topic.timer);
    },
  };
};
