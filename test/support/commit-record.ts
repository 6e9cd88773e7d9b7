import type { TestDatabase } from './database.ts';
import type { CachedResponse } from './gateway.ts';
import { STALE } from './known-answers.ts';

/** One request for a list and its answer, in this process's milliseconds. */
export interface Reading {
  /** What it lists: all products, all notices, or both. */
  readonly lists: readonly ('products' | 'notices')[];
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly answer: CachedResponse;
}

interface Span {
  readonly fromMs: number;
  toMs: number;
}

interface Notice {
  readonly title: string;
  readonly window: Span;
  /** From when the insertion was sent until it was acknowledged. */
  readonly inserted: Span;
  /** The same of its withdrawal. */
  withdrawn: Span | undefined;
}

/** What was committed when, and what of that an answer has to show. */
export interface CommitRecord {
  /** Sends a change of prices (ids and cents, none of them ever used before) and notes when it was acknowledged; by an update, or as told. */
  readonly commitPrices: (prices: ReadonlyMap<number, number>, write?: () => Promise<unknown>) => Promise<void>;
  /** Sends a notice whose window begins and ends so many milliseconds from now; null: never. */
  readonly insertNotice: (startsInMs: number, lastsMs: number | null) => Promise<void>;
  /** Withdraws the oldest notice that is not withdrawn yet. */
  readonly withdrawNotice: () => Promise<void>;
  /** In this time the database is out of reach; the result ends it. */
  readonly loseDatabase: () => () => void;
  /** In this time, known only afterwards, nothing could be answered as usual. */
  readonly excuse: (fromMs: number, toMs: number) => void;
  /** Whether a request between these two moments may be answered as if the database were away. */
  readonly isExcused: (sentMs: number, receivedMs: number) => boolean;
  /** Forgets what has not been true for so long: an answer that still shows it breaks the rules. */
  readonly forgetOlderThan: (ageMs: number) => void;
  /** How an answer breaks the rules, in words; undefined where it keeps them. */
  readonly faultOf: (reading: Reading) => string | undefined;
}

/** What the contract allows around a start and an end. */
const TOLERANCE_MS = 50;
/** After an outage, how long until everything works as usual: a request that was sent just before its end may wait for 2 s. */
const RECOVERY_MS = 2000;

/** Begins with empty tables but for these products, at the price of 0. */
export const startCommitRecord = async (
  { sql }: Pick<TestDatabase, 'sql'>,
  productIds: readonly number[],
  freshnessMs: number,
): Promise<CommitRecord> => {
  // The database's clock less this process's. An answer is late rather than early, so the largest is the best.
  const readOffset = async (): Promise<number> => {
    const [row] = await sql<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
    return Number(row?.ms) - performance.now();
  };
  const offsetMs = Math.max(await readOffset(), await readOffset(), await readOffset(), await readOffset());

  const prices = new Map(productIds.map((id) => [id, [{ cents: 0, committed: { fromMs: 0, toMs: 0 } }]]));
  const notices: Notice[] = [];
  let noticeCount = 0;
  const outages: Span[] = [];

  /** Its end is not known until the statement is acknowledged. */
  const begin = (): Span => ({ fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY });
  const end = (span: Span): void => {
    span.toMs = performance.now();
  };

  const faultOfPrice = (id: number, cents: number | undefined, { sentMs, receivedMs }: Reading, isStale: boolean) => {
    const versions = prices.get(id) ?? [];
    const index = versions.findLastIndex((version) => version.cents === cents);
    const [version, next] = versions.slice(index);
    if (index < 0 || !version || version.committed.fromMs > receivedMs) return `product ${id} never cost ${cents}`;
    if (isStale || !next || next.committed.toMs > sentMs - freshnessMs) return undefined;
    return `product ${id} at ${cents} misses a commit of ${sentMs - next.committed.toMs} ms before`;
  };

  const faultOfNotice = (notice: Notice, isListed: boolean, { sentMs, receivedMs }: Reading, isStale: boolean) => {
    const { window, inserted, withdrawn, title } = notice;
    const isOver = window.toMs <= sentMs - TOLERANCE_MS;
    const isToCome = window.fromMs > receivedMs + TOLERANCE_MS;
    if (isListed && isOver) return `${title} was over for ${sentMs - window.toMs} ms`;
    if (isListed && isToCome) return `${title} begins only in ${window.fromMs - receivedMs} ms`;
    if (isStale) return undefined;
    const boundMs = sentMs - freshnessMs;
    if (isListed && withdrawn && withdrawn.toMs <= boundMs)
      return `${title} was withdrawn ${sentMs - withdrawn.toMs} ms before`;
    const mustBeListed =
      inserted.toMs <= boundMs &&
      (!withdrawn || withdrawn.fromMs > receivedMs) &&
      window.fromMs < sentMs - TOLERANCE_MS &&
      window.toMs > receivedMs + TOLERANCE_MS;
    return mustBeListed && !isListed ? `${title} is missing, ${sentMs - inserted.toMs} ms after its commit` : undefined;
  };

  const isExcused = (sentMs: number, receivedMs: number): boolean =>
    outages.some(({ fromMs, toMs }) => fromMs <= receivedMs && sentMs <= toMs + RECOVERY_MS);

  return {
    isExcused,

    excuse: (fromMs, toMs) => {
      outages.push({ fromMs, toMs });
    },

    commitPrices: async (changes, write) => {
      const committed = begin();
      for (const [id, cents] of changes) prices.get(id)?.push({ cents, committed });
      const update = (): Promise<unknown> =>
        sql(
          'update product p set price = v.cents / 100.0 from unnest($1::int[], $2::int[]) v(id, cents) where p.id = v.id',
          [[...changes.keys()], [...changes.values()]],
        );
      await (write ?? update)();
      end(committed);
    },

    insertNotice: async (startsInMs, lastsMs) => {
      const startsMs = Math.round(performance.now() + offsetMs + startsInMs);
      const endsMs = startsMs + (lastsMs ?? Number.POSITIVE_INFINITY);
      const notice: Notice = {
        title: titleOf(noticeCount),
        window: { fromMs: startsMs - offsetMs, toMs: endsMs - offsetMs },
        inserted: begin(),
        withdrawn: undefined,
      };
      noticeCount += 1;
      notices.push(notice);
      await sql(
        `insert into notice (title, content, starts_at, ends_at)
         values ($1, '', to_timestamp($2::float8 / 1000), to_timestamp($3::float8 / 1000))`,
        [notice.title, startsMs, lastsMs === null ? null : endsMs],
      );
      end(notice.inserted);
    },

    withdrawNotice: async () => {
      const notice = notices.find(({ withdrawn }) => !withdrawn);
      if (!notice) return;
      notice.withdrawn = begin();
      await sql(`update notice set status = 'WITHDRAWN' where title = $1`, [notice.title]);
      end(notice.withdrawn);
    },

    loseDatabase: () => {
      const outage = begin();
      outages.push(outage);
      return () => end(outage);
    },

    forgetOlderThan: (ageMs) => {
      const boundMs = performance.now() - ageMs;
      for (const versions of prices.values()) {
        while ((versions[1]?.committed.toMs ?? Number.POSITIVE_INFINITY) < boundMs) versions.shift();
      }
      const isForgotten = ({ window, withdrawn }: Notice): boolean =>
        Math.min(window.toMs, withdrawn?.toMs ?? Number.POSITIVE_INFINITY) < boundMs;
      while (notices[0] && isForgotten(notices[0])) notices.shift();
      while ((outages[0]?.toMs ?? Number.POSITIVE_INFINITY) < boundMs) outages.shift();
    },

    faultOf: (reading) => {
      const { status, headers, text, json } = reading.answer;
      const isStale = headers['cache-status'] === STALE;
      if (status !== 200 || isStale) {
        if (!isExcused(reading.sentMs, reading.receivedMs))
          return `${status} ${headers['cache-status']} though the database was there: ${text}`;
        if (status !== 200) return status === 503 ? undefined : `${status}: ${text}`;
      }
      const shown = contentsOf(json);
      const faults: (string | undefined)[] = [];
      if (reading.lists.includes('products')) {
        for (const id of productIds) faults.push(faultOfPrice(id, shown.prices.get(id), reading, isStale));
      }
      if (reading.lists.includes('notices')) {
        for (const notice of notices)
          faults.push(faultOfNotice(notice, shown.titles.has(notice.title), reading, isStale));
        for (const title of shown.titles) {
          if (indexOf(title) < noticeCount - notices.length) faults.push(`${title} was over long ago`);
        }
      }
      return faults.find((fault) => fault !== undefined);
    },
  };
};

const titleOf = (index: number): string => `Notice ${index}`;
/** NaN where the title is none of these. */
const indexOf = (title: string): number => Number(/^Notice (\d+)$/.exec(title)?.[1]);

/** The prices and titles anywhere in an answer. */
const contentsOf = (json: unknown) => {
  const found = { prices: new Map<number, number>(), titles: new Set<string>() };
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { id, price, title } = value as { id?: number; price?: { amount: string }; title?: string };
    if (id !== undefined && price) found.prices.set(id, Math.round(Number(price.amount) * 100));
    if (title !== undefined) found.titles.add(title);
    for (const inner of Object.values(value)) look(inner);
  };
  look(json);
  return found;
};
