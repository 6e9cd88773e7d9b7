import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../../cache/tags.ts';
import type { DatabaseClient } from '../../database/connection.ts';
import { ProductIndex } from './product-index.ts';
import { readCategories, readEstimate, readLabels, readProducts, UnfitProduct } from './read.ts';
import type { ProductRow } from './rows.ts';
import type { IndexStatus, ThreadOptions } from './thread.ts';

interface Options extends Pick<ThreadOptions, 'maxBytes' | 'languages'> {
  readonly connect: () => Promise<DatabaseClient>;
  readonly onStatus: () => void;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** The catalogue does not fit into the index. */
export class UnfitCatalogue extends Error {}

/** The states of the keeper, each with all that belongs to it. A change of products whose ids are not known leads from every state to `empty`. */
type State =
  /** There is no index; after some time it is filled. PostgreSQL answers. */
  | { readonly name: 'empty'; readonly delayMs: number }
  /** Products are read. The estimate says how many there will be, as far as PostgreSQL's statistics know. */
  | { readonly name: 'filling'; readonly index: ProductIndex; readonly estimate: number }
  /** The index has all products. A question waits for the changes that were notified before it. */
  | { readonly name: 'ready'; readonly index: ProductIndex }
  /** Reading has failed. The index answers only where it has all that was notified. */
  | { readonly name: 'failing'; readonly index: ProductIndex }
  /** Dead rows are closed up, which takes seconds in a large catalogue: the gateway's thread sees it in the status, and asks PostgreSQL meanwhile. */
  | { readonly name: 'compacting'; readonly index: ProductIndex };

type Filling = Extract<State, { readonly name: 'filling' }>;

/** More at once are more garbage at once. */
const ROWS_AT_ONCE = 500;
const FILLED_AT_ONCE = 20_000;
const BEFORE_FIRST_ID = -(2 ** 31) - 1;
/** A name that could not be ranked is looked at again after this time. */
const RANK_AGAIN_MS = 20;
const REFILL_DELAY_MS = 500;
/** All names are read for a twentieth of the time at most. */
const RESTS_PER_RANKING = 19;
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
  /** Wakes questions that wait, to look again whether the index has what they need. */
  #progress = Promise.withResolvers<void>();
  /** When all names may be read next; infinity while they are. */
  #rankAgainMs = 0;
  #reading: Promise<unknown> = Promise.resolve();
  /** Ends the sleep of the keeper. */
  #wake = (): void => {};

  constructor(options: Options) {
    this.#options = options;
  }

  get status(): IndexStatus {
    const state = this.#state;
    const isReady = state.name === 'ready' || state.name === 'failing';
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

  /** With all that was notified so far, and the order of names; undefined where there is no index. */
  async current(needsNames: boolean): Promise<ProductIndex | undefined> {
    const upTo = this.#notified;
    const isBehind = (): boolean => (needsNames ? this.#ranked : this.#applied) < upTo;
    while (this.#state.name === 'ready' && isBehind()) await this.#progress.promise;
    // PostgreSQL answers those who have waited for what does not come.
    return isBehind() ? undefined : this.#whole;
  }

  #become(state: State): void {
    this.#state = state;
    this.#wakeQuestions();
    this.#options.onStatus();
  }

  #wakeQuestions(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  /** Never ends. @throws UnfitCatalogue, or UnfitProduct where there is one before the index has all products */
  async run(): Promise<never> {
    for (;;) {
      try {
        // Where a table is reloaded in many steps, the delay lets most of them pass.
        if (this.#state.name === 'empty') await delay(this.#state.delayMs);
        await this.#connect();
      } catch (error) {
        if (error instanceof UnfitCatalogue) throw error;
        // To fill it again and again would take a core, for the sake of one row.
        if (error instanceof UnfitProduct && !this.#whole) throw error;
        const reason = error instanceof Error ? error.message : error;
        this.#options.log('warn', `the index of products could not read: ${reason}`);
        this.#haveTextsChanged = true;
        const index = this.#whole;
        this.#become(index ? { name: 'failing', index } : { name: 'empty', delayMs: REFILL_DELAY_MS });
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
    const filling: Filling = { name: 'filling', index, estimate };
    this.#become(filling);
    await this.#readAll(client, filling);
    if (this.#state !== filling) return;
    await this.#inTurn(() => index.texts.names.rankAll(client));
    if (this.#state !== filling) return;
    index.arrange();
    // V8 would keep 26 of 210 MB with 100,000 products. Node has the function with `--expose-gc`.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    this.#become({ name: 'ready', index });
    const size = `${index.columns.live} products in ${Math.round(index.bytes / 1e6)} MB`;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    this.#options.log('info', `the index has ${size} after ${seconds} s`);
  }

  async #readAll(client: DatabaseClient, filling: Filling): Promise<void> {
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
      this.#checkSize(index);
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
    // Reading succeeds again.
    if (this.#state.name === 'failing') this.#become({ name: 'ready', index });
    this.#checkSize(index);
    this.#applied = upTo;
    this.#wakeQuestions();
    await this.#inTurn(() => index.texts.names.rankNew(client));
    if (this.#whole !== index) return;
    this.#ranked = upTo;
    this.#wakeQuestions();
    if (index.needsCompaction) {
      this.#become({ name: 'compacting', index });
      index.compact();
      this.#become({ name: 'ready', index });
    }
    void this.#rankAll(index);
    // A name whose neighbour has changed too is ranked later, and so are those of other languages.
    const hasUnranked = index.allTexts.some(({ names }) => !names.areKnown);
    if (this.#notified === upTo && this.#client) await this.#sleep(hasUnranked ? RANK_AGAIN_MS : undefined);
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
    const endedMs = performance.now();
    this.#rankAgainMs = endedMs + Math.max(RANK_AGAIN_MS, (endedMs - startedMs) * RESTS_PER_RANKING);
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

  /** Before the index is given up, what lists have left that have moved is given back. */
  #checkSize(index: ProductIndex): void {
    const { maxBytes } = this.#options;
    if (index.bytes > maxBytes) index.arrange();
    if (index.bytes <= maxBytes) return;
    this.#become({ name: 'empty', delayMs: REFILL_DELAY_MS });
    const limit = `the ${Math.round(maxBytes / 1_048_576)} MB of BROWSE_INDEX_MAX_MB`;
    throw new UnfitCatalogue(`${index.columns.live} products take more than ${limit}`);
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

  async #sleep(ms?: number): Promise<void> {
    await new Promise<void>((end) => {
      this.#wake = end;
      if (ms !== undefined) setTimeout(end, ms);
    });
  }
}
