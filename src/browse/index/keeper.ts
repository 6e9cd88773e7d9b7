import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../../cache/tags.ts';
import type { DatabaseClient } from '../../database/connection.ts';
import { ProductIndex } from './product-index.ts';
import { readCategories, readEstimate, readLabels, readProducts, UnfitCatalogue } from './read.ts';
import type { ProductRow } from './rows.ts';
import type { IndexStatus, ThreadOptions } from './thread.ts';

interface Options extends Pick<ThreadOptions, 'maxBytes' | 'languages'> {
  readonly connect: () => Promise<DatabaseClient>;
  readonly onStatus: () => void;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** The states of the keeper, each with all that belongs to it. A change of products whose ids are not known leads from every state to `empty`. */
type State =
  /** There is no index; after some time it is filled. PostgreSQL answers. */
  | { readonly name: 'empty'; readonly delayMs: number }
  /** Products are read. The estimate says how many there will be, as far as PostgreSQL's statistics know. */
  | { readonly name: 'filling'; readonly index: ProductIndex; readonly estimate: number }
  /** The index has all products. A question waits for the changes that were notified before it, while there is a connection. */
  | { readonly name: 'ready'; readonly index: ProductIndex }
  /** Dead rows are closed up, which takes seconds in a large catalogue: the gateway's thread sees it in the status, and asks PostgreSQL meanwhile. */
  | { readonly name: 'compacting'; readonly index: ProductIndex };

/** More at once are more garbage at once. */
const ROWS_AT_ONCE = 500;
const FILLED_AT_ONCE = 20_000;
const BEFORE_FIRST_ID = -(2 ** 31) - 1;
/** A name that could not be ranked is looked at again after this time. */
const RANK_AGAIN_MS = 20;
const REFILL_DELAY_MS = 500;
/** The rest of the memory is for what changes leave behind. */
const MAX_FILLED_SHARE = 15 / 16;
/** With ten dead values for each of 6,000 products the index is five times as large, and takes twice the time; with 100, 15 times (2026-11-29). */
const MAX_GROWTH = 2;
/** All names are read, and an index that has grown is filled again, for a twentieth of the time at most. */
const RESTS = 19;
const LOG_PROGRESS_MS = 5000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 10_000;

/** Fills the index and keeps it as the database is, by the changes that are notified. */
export class IndexKeeper {
  readonly #options: Options;
  #state: State = { name: 'empty', delayMs: 0 };
  /** While there is a connection. */
  #client: DatabaseClient | undefined;
  #retryMs = FIRST_RETRY_MS;
  /** Products that are still to be read, because they were notified. */
  #changedIds = new Set<number>();
  /** Whether categories and labels are still to be read. */
  #haveTextsChanged = true;
  /**
   * Numbers of the last change notified, of the last one up to which all are in the index, and of the same with the order of names, which takes
   * longer.
   */
  #notified = 0;
  #applied = -1;
  #ranked = -1;
  /** Wakes the keeper, and questions that wait, to look again whether the index has what they need. */
  #progress = Promise.withResolvers<void>();
  /** When all names may be read next; infinity while they are. */
  #rankAgainMs = 0;
  /** When the index may be filled again because it has grown to this. */
  #refillMs = 0;
  #grownBytes = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  get status(): IndexStatus {
    const state = this.#state;
    const isReady = state.name === 'ready';
    const index = state.name === 'empty' ? undefined : state.index;
    const products = index?.columns.live ?? 0;
    const share = state.name === 'filling' ? Math.min(products / (state.estimate || 1), 1) : Number(isReady);
    return { isReady, products, filledShare: share, bytes: index?.bytes ?? 0 };
  }

  /** The index that has all products. */
  get #whole(): ProductIndex | undefined {
    const state = this.#state;
    return state.name === 'empty' || state.name === 'filling' ? undefined : state.index;
  }

  changed({ table, rows, isOfClock }: Change): void {
    // The index has what is published later, too.
    if (isOfClock) return;
    this.#notified += 1;
    if (table !== 'product') this.#haveTextsChanged = true;
    // The index may no longer match the database. Nobody waits for the next one: PostgreSQL answers.
    else if (!rows) this.#become({ name: 'empty', delayMs: REFILL_DELAY_MS });
    else for (const id of rows.ids) this.#changedIds.add(id);
    this.#wake();
  }

  /** With all that was notified so far, and the order of names; undefined where there is no index, or nothing to read them by. */
  async current(needsNames: boolean): Promise<ProductIndex | undefined> {
    const upTo = this.#notified;
    const isBehind = (): boolean => (needsNames ? this.#ranked : this.#applied) < upTo;
    while (this.#client && this.#state.name === 'ready' && isBehind()) await this.#progress.promise;
    return isBehind() ? undefined : this.#whole;
  }

  #become(state: State): void {
    this.#state = state;
    this.#wake();
    this.#options.onStatus();
  }

  #wake(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** Never ends. @throws UnfitCatalogue where one is found so before the index has all products */
  async run(): Promise<never> {
    for (;;) {
      try {
        // Where a table is reloaded in many steps, the delay lets most of them pass.
        if (this.#state.name === 'empty') await delay(this.#state.delayMs);
        await this.#connect();
      } catch (error) {
        // To fill it again and again would take a core.
        if (error instanceof UnfitCatalogue && !this.#whole) throw error;
        const reason = error instanceof Error ? error.message : error;
        this.#options.log('warn', `the index of products could not read: ${reason}`);
        this.#haveTextsChanged = true;
        if (!this.#whole) this.#become({ name: 'empty', delayMs: REFILL_DELAY_MS });
        await delay(this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  /** Fills and keeps the index by one connection, until it is lost, or the index is to be filled again: the server may be another one then. */
  async #connect(): Promise<void> {
    const client = await this.#options.connect();
    this.#client = client;
    client.once('error', () => {
      if (this.#client === client) this.#client = undefined;
      this.#wake();
    });
    try {
      if (!this.#whole) await this.#fill(client);
      for (let index = this.#whole; index && this.#client; index = this.#whole) {
        await this.#keep(client, index);
        this.#retryMs = FIRST_RETRY_MS;
      }
    } finally {
      this.#client = undefined;
      this.#wake();
      client.connection.stream.destroy();
    }
  }

  /** Reads every product. What changes meanwhile is notified, and read again after it. */
  async #fill(client: DatabaseClient): Promise<void> {
    const startedMs = performance.now();
    const estimate = await this.#inTurn(() => readEstimate(client));
    const index = new ProductIndex(this.#options.languages);
    this.#changedIds.clear();
    this.#haveTextsChanged = true;
    const filling = { name: 'filling', index, estimate } as const;
    this.#become(filling);
    // Texts are a part of the size that is looked at.
    await this.#applyPending(client, index);
    await this.#readAll(client, filling);
    if (this.#state !== filling) return;
    await this.#inTurn(() => index.texts.names.rankAll(client));
    if (this.#state !== filling) return;
    index.arrange();
    // V8 would keep 26 of 210 MB with 100,000 products. Node has the function with `--expose-gc`.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    const tookMs = performance.now() - startedMs;
    this.#refillMs = performance.now() + tookMs * RESTS;
    this.#grownBytes = index.bytes * MAX_GROWTH;
    this.#become({ name: 'ready', index });
    const size = `${index.columns.live} products in ${Math.round(index.bytes / 1e6)} MB`;
    this.#options.log('info', `the index has ${size} after ${(tookMs / 1000).toFixed(1)} s`);
  }

  async #readAll(client: DatabaseClient, filling: Extract<State, { readonly name: 'filling' }>): Promise<void> {
    const { index, estimate } = filling;
    let lastId = BEFORE_FIRST_ID;
    let loggedMs = performance.now();
    const onProduct = (product: ProductRow): void => {
      index.put(product);
      lastId = product.id;
    };
    for (let count = FILLED_AT_ONCE; count === FILLED_AT_ONCE; ) {
      const next = { after: lastId, limit: FILLED_AT_ONCE };
      count = await this.#inTurn(() => readProducts(client, this.#options.languages, next, onProduct));
      if (this.#state !== filling) return;
      // What lists have left that have moved is given back first.
      if (index.bytes > this.#maxFilledBytes) index.arrange();
      if (index.bytes > this.#maxFilledBytes) {
        const limit = `the ${Math.round(this.#options.maxBytes / 1_048_576)} MB of BROWSE_INDEX_MAX_MB`;
        throw new UnfitCatalogue(`${index.columns.live} products take more than 15/16 of ${limit}`);
      }
      this.#options.onStatus();
      if (performance.now() - loggedMs < LOG_PROGRESS_MS) continue;
      loggedMs = performance.now();
      this.#options.log('info', `the index has ${index.columns.live} of about ${estimate} products`);
    }
  }

  /** Brings what is pending into the index, answers those who wait for it, and does what else is to do. */
  async #keep(client: DatabaseClient, index: ProductIndex): Promise<void> {
    const upTo = this.#notified;
    await this.#applyPending(client, index);
    if (this.#whole !== index) return;
    this.#applied = upTo;
    this.#wake();
    await this.#inTurn(() => index.texts.names.rankNew(client));
    if (this.#whole !== index) return;
    this.#ranked = upTo;
    this.#wake();
    if (index.needsCompaction || index.bytes > this.#options.maxBytes) this.#compact(index);
    if (this.#whole !== index) return;
    void this.#rankAll(index);
    // A name whose neighbour has changed too is ranked later, and so are those of other languages.
    const hasUnranked = index.allTexts.some(({ names }) => !names.areKnown);
    const pauses = [this.#progress.promise, ...(hasUnranked ? [delay(RANK_AGAIN_MS)] : [])];
    if (this.#notified === upTo && this.#client) await Promise.race(pauses);
  }

  /** Closes up dead rows. Values, words and texts that no product has any more stay: where they take too much, the index is filled again. */
  #compact(index: ProductIndex): void {
    this.#become({ name: 'compacting', index });
    index.compact();
    const restMs = this.#refillMs - performance.now();
    // Until it may be filled again, it is of use up to the limit.
    const mostBytes = restMs > 0 ? this.#options.maxBytes : Math.min(this.#maxFilledBytes, this.#grownBytes);
    const isFine = index.bytes <= mostBytes;
    const delayMs = Math.max(restMs, REFILL_DELAY_MS);
    const grown = `the index of products has grown to ${Math.round(index.bytes / 1e6)} MB`;
    if (!isFine) this.#options.log('warn', `${grown}, and is filled again in ${(delayMs / 1000).toFixed(1)} s`);
    this.#become(isFine ? { name: 'ready', index } : { name: 'empty', delayMs });
  }

  /**
   * Ranks all names of the languages that need it, by a connection of its own: in a large catalogue it takes seconds, in which changes come into the
   * index, and pages by name are PostgreSQL's.
   */
  async #rankAll(index: ProductIndex): Promise<void> {
    const unranked = index.allTexts.filter(({ names }) => names.needsAll);
    if (unranked.length === 0 || performance.now() < this.#rankAgainMs) return;
    const startedMs = performance.now();
    this.#rankAgainMs = Number.POSITIVE_INFINITY;
    try {
      const client = await this.#options.connect();
      try {
        for (const { names } of unranked) await names.rankAll(client);
      } finally {
        await client.end();
      }
    } catch (error) {
      this.#options.log('warn', `the index of products could not read the order of names: ${error}`);
    }
    this.#rankAgainMs = performance.now() + (performance.now() - startedMs) * RESTS;
  }

  async #applyPending(client: DatabaseClient, index: ProductIndex): Promise<void> {
    const haveTextsChanged = this.#haveTextsChanged;
    this.#haveTextsChanged = false;
    for (const texts of haveTextsChanged ? index.allTexts : []) {
      const { languages } = texts;
      texts.suggestions.categories = await this.#inTurn(() => readCategories(client, languages));
      if (languages) texts.labels = await this.#inTurn(() => readLabels(client, languages));
    }
    const ids = [...this.#changedIds];
    const gone = new Set(ids);
    const onProduct = (product: ProductRow): void => {
      gone.delete(product.id);
      index.put(product);
    };
    this.#changedIds.clear();
    try {
      for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
        const some = { ids: ids.slice(from, from + ROWS_AT_ONCE) };
        await this.#inTurn(() => readProducts(client, this.#options.languages, some, onProduct));
      }
    } catch (error) {
      for (const id of ids) this.#changedIds.add(id);
      throw error;
    }
    for (const id of gone) index.remove(id);
  }

  get #maxFilledBytes(): number {
    return this.#options.maxBytes * MAX_FILLED_SHARE;
  }

  /** What a question needs of the database; undefined without a connection. */
  read<Value>(work: (client: DatabaseClient) => Promise<Value>): Promise<Value | undefined> {
    return this.#inTurn(async () => this.#client && work(this.#client));
  }

  /** Reads when all else has been read that was to be before, because the driver takes one query at a time. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const reading = this.#reading.then(work);
    this.#reading = reading.catch(() => {});
    return reading;
  }
}
