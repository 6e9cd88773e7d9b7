/** The thread that has the index: it reads the products by a connection of its own, and answers what the gateway's thread asks. */

import { parentPort, workerData } from 'node:worker_threads';
import { connectionConfig, DatabaseClient, SET_SESSION } from '../../database/connection.ts';
import type { BrowseRequest, FallBacks, Suggestion, SuggestionRequest } from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { fold } from '../words.ts';
import { IndexKeeper } from './keeper.ts';
import type { ProductIndex } from './product-index.ts';
import { readIdsByCode, readNames } from './read.ts';
import { correct, search } from './search.ts';
import { type LanguageTexts, type Suggested, suggest } from './texts.ts';
import { type Found, type FromThread, type Question, type ThreadOptions, type ToThread, UNFIT } from './thread.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** Changes alone post no status. */
const STATUS_MS = 1000;
/** A connection that does not answer is ended. */
const READ_TIMEOUT_MS = 120_000;

const { databaseUrl, ...options }: ThreadOptions = workerData;
const connection = connectionConfig(databaseUrl);

const post = (message: FromThread): void => parentPort?.postMessage(message);
const log = (level: 'info' | 'warn', message: string): void => post({ kind: 'log', level, message });

const postStatus = (): void => post({ kind: 'status', status: keeper.status });

const keeper = new IndexKeeper({
  ...options,
  connect: async () => {
    const client = new DatabaseClient({
      ...connection,
      application_name: `${connection.application_name} index`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: READ_TIMEOUT_MS,
    });
    client.on('error', () => {});
    await client.connect();
    await client.query(SET_SESSION);
    return client;
  },
  onStatus: postStatus,
  log,
});

/** What products are called, as the index knows it of few. */
const namesOf = async (ids: readonly number[], languages: FallBacks): Promise<Map<number, string> | undefined> =>
  ids.length === 0 ? new Map() : keeper.read((client) => readNames(client, ids, languages));

const suggestIn = async (index: ProductIndex, asked: SuggestionRequest, texts: LanguageTexts) => {
  const { limit, languages } = asked;
  // More products than are asked for, as some have the same name.
  const found = suggest(index, { ...asked, maxProducts: limit * 4 + 20 }, texts);
  const nameless = found.products.filter(({ name }) => name === undefined).map(({ id }) => id);
  const names = await namesOf(nameless, languages);
  return names && mergeSuggestions(found, names, limit);
};

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
  const sorted = [...others, ...named].sort(compare);
  // Others may come behind the last of these products.
  const known = hasMore ? sorted.slice(0, sorted.findLastIndex(({ kind }) => kind === 'PRODUCT') + 1) : sorted;
  const byText = new Map<string, Suggestion>();
  for (const suggestion of known) {
    const text = fold(suggestion.text);
    if (byText.size < limit && !byText.has(text)) byText.set(text, suggestion);
  }
  return hasMore && byText.size < limit ? undefined : [...byText.values()];
};

/** Equal products stay as they come. */
const compare = (a: Suggestion, b: Suggestion): number =>
  b.sales - a.sales ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  (a.kind === 'PRODUCT' ? 0 : compareCodePoints(a.text, b.text) || b.id - a.id);

const searchIn = async (index: ProductIndex, asked: BrowseRequest, texts: LanguageTexts) => {
  const { page, code, order, languages } = asked;
  const isByName = order === 'NAME_ASC';
  const codeIds = code === undefined ? [] : await keeper.read((client) => readIdsByCode(client, code));
  if (!codeIds || !keeper.status.isReady || (isByName && !texts.names.areKnown)) return undefined;
  const position = isByName ? page.position : undefined;
  const boundaryRank = position && texts.names.rankOfPosition(position);
  if (position && boundaryRank === undefined) return undefined;
  const found = search(index, asked, { boundaryRank, codeIds }, texts);
  if (!isByName) return found;
  const names = await namesOf(
    found.items.map(({ id }) => id),
    languages,
  );
  const items = found.items.flatMap(({ id, position }) => {
    const name = names?.get(id);
    return name === undefined ? [] : [{ id, position: [name, ...position] }];
  });
  return items.length === found.items.length ? { ...found, items } : undefined;
};

const answerOf = async ({ name, asked }: Question): Promise<Found> => {
  const { languages } = asked;
  const index = await keeper.current(name === 'search' && asked.order === 'NAME_ASC' && !languages);
  const texts = index?.textsIn(languages);
  if (!index || !texts) return undefined;
  if (name === 'correct') return { answer: correct(index, asked, texts) };
  const answer = await (name === 'search' ? searchIn(index, asked, texts) : suggestIn(index, asked, texts));
  return answer && { answer };
};

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'changed') {
    for (const change of message.changes) keeper.changed(change);
    return;
  }
  const { number } = message;
  answerOf(message).then(
    (found) => post({ kind: 'answer', number, found }),
    (error: unknown) => {
      log('warn', `the index of products could not answer: ${error}`);
      post({ kind: 'answer', number, found: undefined });
    },
  );
});

setInterval(postStatus, STATUS_MS);
keeper.run().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : error;
  log('warn', `there is no index of products: ${reason}; PostgreSQL answers instead, until a restart`);
  process.exit(UNFIT);
});
