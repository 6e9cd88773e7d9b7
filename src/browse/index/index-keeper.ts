import type { DatabaseClient } from '../../database/client.ts';
import type { NotifiedChange } from './index-thread.ts';
import { rankNames } from './name-ranks.ts';
import { ProductIndex } from './product-index.ts';
import {
  type ReadProducts,
  readBeginning,
  readCategories,
  readProducts,
  readProductsAfter,
  readWordsAfter,
} from './product-reader.ts';
import { CategoryTree } from './suggestions.ts';

interface Options {
  readonly connect: () => Promise<DatabaseClient>;
  readonly maxBytes: number;
  readonly onStatus: () => void;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** The catalogue does not fit into the index. */
export class UnfitCatalogue extends Error {}

interface Held {
  readonly index: ProductIndex;
  readonly categories: CategoryTree;
}

interface Waiting {
  readonly upTo: number;
  readonly needsNames: boolean;
  readonly resolve: (held: Held | undefined) => void;
}

/** More at once are more garbage at once. */
const ROWS_AT_ONCE = 500;
const FILLED_AT_ONCE = 20_000;
/** Changes come in between, for which questions may wait. Each query takes PostgreSQL 1.5 ms by itself. */
const WORDS_AT_ONCE = 5000;
const BEFORE_FIRST_ID = -(2 ** 31) - 1;
/** Changes that nobody waits for are read together. */
const COLLECT_MS = 20;
const REFILL_DELAY_MS = 500;
const LOG_PROGRESS_MS = 5000;
const READ_TIMEOUT_MS = 120_000;
const MAX_RETRY_MS = 10_000;

/**
 * While words are read: the last product that has them, and how many have; whether those that follow are read with their texts, as Chinese, Japanese or Korean is
 * among them; and products that have changed meanwhile.
 */
const noWords = () => ({ lastId: BEFORE_FIRST_ID, count: 0, needsTexts: false, changed: new Set<number>() });

/** Fills the index and keeps it as the database is, by the changes that are notified. */
export class IndexKeeper {
  readonly #options: Options;
  #client: DatabaseClient | undefined;
  #index: ProductIndex | undefined;
  #filling: { readonly index: ProductIndex; readonly estimate: number; readonly startedMs: number } | undefined;
  #wordsOf = noWords();
  #categories = new CategoryTree([]);
  #changed = new Set<number>();
  /** Products that the index cannot hold. While there is one, the index would not answer as the database does. */
  #leftOut = new Set<number>();
  #needsFill = true;
  #needsCategories = true;
  /** Numbers of the changes notified, and of the last one up to which all are in the index. */
  #notified = 0;
  #applied = -1;
  /** The same with the order of names, which takes longer. */
  #ranked = -1;
  #waiting: Waiting[] = [];
  #wake: (() => void) | undefined;
  #isIdle = false;
  #hasFilled = false;
  /** Whether the last reading failed: nobody waits for the next one. */
  #isFailing = false;
  /** From this thread's time to the database's. Where that is set back, the index is filled again. */
  #clockOffsetUs = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get status() {
    const index = this.#index ?? this.#filling?.index;
    const isBrowsable = this.#index !== undefined;
    const isReady = this.#index?.hasWords === true;
    const products = index?.columns.live ?? 0;
    const share = (products + this.#wordsOf.count) / (this.#filling?.estimate || 1) / 2;
    return {
      isBrowsable,
      isReady,
      products,
      filledShare: isReady ? 1 : Math.min(share, 1),
      leftOut: this.#leftOut.size,
      bytes: index?.bytes ?? 0,
    };
  }

  get client(): DatabaseClient | undefined {
    return this.#client;
  }

  changed({ table, ids }: NotifiedChange): void {
    this.#notified += 1;
    if (table === 'category') this.#needsCategories = true;
    else if (ids) for (const id of ids) this.#changed.add(id);
    else {
      this.#needsFill = true;
      // The filled index may no longer match the database. Nobody waits for the next one: PostgreSQL answers.
      this.#drop();
    }
    if (this.#isIdle || this.#waiting.length > 0) this.#wake?.();
  }

  /** With all that was notified so far, and the order of names; undefined where there is no index, or it lacks a product. */
  current(needsNames: boolean): Held | undefined | Promise<Held | undefined> {
    if (!this.#index) return undefined;
    if ((needsNames ? this.#ranked : this.#applied) === this.#notified) return this.#held(this.#index);
    if (this.#isFailing) return undefined;
    const { promise, resolve } = Promise.withResolvers<Held | undefined>();
    this.#waiting.push({ upTo: this.#notified, needsNames, resolve });
    this.#wake?.();
    return promise;
  }

  #held(index: ProductIndex): Held | undefined {
    return this.#leftOut.size > 0 ? undefined : { index, categories: this.#categories };
  }

  /** Never ends. @throws UnfitCatalogue */
  async run(): Promise<never> {
    let retryMs = 50;
    for (;;) {
      try {
        await this.#step();
        retryMs = 50;
      } catch (error) {
        if (error instanceof UnfitCatalogue) throw error;
        this.#options.log(
          'warn',
          `the index of products could not read: ${error instanceof Error ? error.message : error}`,
        );
        this.#disconnect();
        this.#isFailing = true;
        this.#needsCategories = true;
        this.#answer(undefined, Number.POSITIVE_INFINITY);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  async #step(): Promise<void> {
    if (this.#needsFill) return this.#fill();
    const client = await this.#connected();
    const upTo = this.#notified;
    if (this.#needsCategories) {
      this.#needsCategories = false;
      this.#categories = new CategoryTree(await this.#inTime(readCategories(client)));
    }
    const index = this.#index;
    if (!index) return;
    await this.#applyChanges(client, index);
    if (this.#index !== index) return;
    index.settle(this.#clockOffsetUs + performance.now() * 1000);
    this.#checkSize(index);
    this.#applied = upTo;
    this.#isFailing = false;
    const held = this.#held(index);
    this.#answer(held, upTo, ({ needsNames }) => !needsNames);
    await this.#inTime(rankNames(index, client));
    if (this.#index !== index) return;
    this.#ranked = upTo;
    this.#answer(held, upTo);
    if (index.needsCompaction) {
      // It takes seconds in a large catalogue, in which PostgreSQL answers.
      this.#index = undefined;
      this.#options.onStatus();
      index.compact();
      this.#index = index;
      this.#options.onStatus();
    }
    if (!index.hasWords) return this.#readWords(client, index);
    this.#isIdle = true;
    // A name whose neighbour has changed too is ranked later.
    if (this.#notified === upTo) await this.#sleep(index.unranked.size > 0 ? COLLECT_MS : undefined);
    this.#isIdle = false;
    if (this.#waiting.length === 0) await this.#sleep(COLLECT_MS);
  }

  async #applyChanges(client: DatabaseClient, index: ProductIndex): Promise<void> {
    const ids = [...this.#changed];
    this.#changed = new Set();
    let from = 0;
    try {
      for (; from < ids.length; from += ROWS_AT_ONCE) {
        const some = ids.slice(from, from + ROWS_AT_ONCE);
        const gone = new Set(some);
        const reading = readProducts(client, some, (product) => {
          gone.delete(product.id);
          index.put(product);
        });
        const { unfit } = await this.#inTime(reading);
        if (!index.hasWords) for (const id of some) this.#wordsOf.changed.add(id);
        for (const id of gone) index.remove(id);
        this.#leaveOut(unfit, some);
      }
    } catch (error) {
      for (const id of ids.slice(from)) this.#changed.add(id);
      throw error;
    }
  }

  /** @param ids of all products that were read */
  #leaveOut(unfit: ReadProducts['unfit'], ids: readonly number[]): void {
    const before = this.#leftOut.size;
    for (const id of ids) this.#leftOut.delete(id);
    for (const { id } of unfit) this.#leftOut.add(id);
    const [first] = unfit;
    if (first && before === 0)
      this.#options.log(
        'warn',
        `product ${first.id} cannot be in the index of products: ${first.reason}; PostgreSQL answers until this is mended`,
      );
    if (this.#leftOut.size !== before) this.#options.onStatus();
  }

  /** Reads the words of some products. Those that have changed get theirs at the end, as words are put into one row after another. */
  async #readWords(client: DatabaseClient, index: ProductIndex): Promise<void> {
    const known = this.#wordsOf;
    const { lastId, needsTexts, changed } = known;
    const reading = readWordsAfter(client, lastId, WORDS_AT_ONCE, needsTexts, (product) => {
      if (known.needsTexts !== needsTexts) return;
      if (changed.has(product.id) || index.putWords(product)) {
        known.lastId = product.id;
        known.count += 1;
      } else known.needsTexts = true;
    });
    const read = await this.#inTime(reading);
    if (this.#index !== index) return;
    if (read < WORDS_AT_ONCE && known.needsTexts === needsTexts) {
      index.hasWords = true;
      this.changed({ table: 'product', ids: [...changed] });
      index.settlePostings();
      collectGarbage();
      const seconds = (performance.now() - (this.#filling?.startedMs ?? 0)) / 1000;
      this.#options.log(
        'info',
        `the index has ${index.columns.live} products in ${Math.round(index.bytes / 1e6)} MB after ${seconds.toFixed(1)} s`,
      );
      this.#filling = undefined;
    }
    this.#options.onStatus();
  }

  /** Reads every product. What changes meanwhile is notified, and read again after it. */
  async #fill(): Promise<void> {
    this.#drop();
    if (this.#hasFilled) {
      // The server may be another one now. Where a table is reloaded in many steps, the delay lets most of them pass.
      this.#disconnect();
      await this.#sleep(REFILL_DELAY_MS);
    }
    const client = await this.#connected();
    const startedMs = performance.now();
    this.#hasFilled = true;
    this.#needsFill = false;
    this.#changed = new Set();
    try {
      const { estimate, now } = await this.#inTime(readBeginning(client));
      this.#clockOffsetUs = now - performance.now() * 1000;
      const index = new ProductIndex();
      index.hasWords = false;
      this.#wordsOf = noWords();
      this.#leftOut = new Set();
      index.settle(now);
      index.columns.reserve(estimate);
      this.#filling = { index, estimate, startedMs };
      let loggedMs = startedMs;
      let read = { count: FILLED_AT_ONCE, lastId: BEFORE_FIRST_ID };
      while (read.count === FILLED_AT_ONCE) {
        const reading = readProductsAfter(client, read.lastId, FILLED_AT_ONCE, (product) => index.put(product));
        const next = await this.#inTime(reading);
        if (this.#needsFill) return;
        this.#leaveOut(next.unfit, []);
        this.#checkSize(index);
        read = next;
        this.#options.onStatus();
        if (performance.now() - loggedMs < LOG_PROGRESS_MS) continue;
        loggedMs = performance.now();
        this.#options.log('info', `the index has ${index.columns.live} of about ${estimate} products`);
      }
      await this.#inTime(rankNames(index, client));
      if (this.#needsFill) return;
      this.#index = index;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      this.#options.log(
        'info',
        `words of products follow; all but searches is answered by the index after ${seconds} s`,
      );
      this.#options.onStatus();
    } catch (error) {
      this.#needsFill = true;
      throw error;
    }
  }

  /** Ends a connection that does not answer: the driver's `query_timeout` would not see that a copy has ended. */
  async #inTime<Value>(reading: Promise<Value>): Promise<Value> {
    const timer = setTimeout(() => this.#disconnect(), READ_TIMEOUT_MS);
    try {
      return await reading;
    } finally {
      clearTimeout(timer);
    }
  }

  #checkSize(index: ProductIndex): void {
    if (index.bytes <= this.#options.maxBytes) return;
    this.#drop();
    throw new UnfitCatalogue(
      `${index.columns.live} products take more than the ${Math.round(this.#options.maxBytes / 1_048_576)} MB of BROWSE_INDEX_MAX_MB`,
    );
  }

  #drop(): void {
    if (!this.#index) return;
    this.#index = undefined;
    this.#answer(undefined, Number.POSITIVE_INFINITY);
    this.#options.onStatus();
  }

  #answer(held: Held | undefined, upTo: number, whom: (waiting: Waiting) => boolean = () => true): void {
    const answered = this.#waiting.filter((each) => each.upTo <= upTo && whom(each));
    this.#waiting = this.#waiting.filter((each) => !answered.includes(each));
    for (const { resolve } of answered) resolve(held);
  }

  async #connected(): Promise<DatabaseClient> {
    if (this.#client) return this.#client;
    const client = await this.#options.connect();
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#client = client;
    return client;
  }

  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.connection.stream.destroy();
  }

  async #sleep(ms?: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== undefined) setTimeout(resolve, ms);
    });
    this.#wake = undefined;
  }
}

/** 26 of 210 MB with 100,000 products that V8 would keep. Node has the function with `--expose-gc`. */
const collectGarbage = (): void => {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
};
