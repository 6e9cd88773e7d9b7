/** The thread that has the index: it reads the products by a connection of its own, and answers what the gateway's thread asks. */

import { parentPort, workerData } from 'node:worker_threads';
import { connectionConfig, DatabaseClient, SET_SESSION } from '../../database/connection.ts';
import type { BrowseRequest, FallBacks } from '../browse-engine.ts';
import { IndexKeeper } from './keeper.ts';
import type { LanguageTexts, ProductIndex } from './product-index.ts';
import { readIdsByCode, readNames } from './read.ts';
import { correct, search } from './search.ts';
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

const namesIn =
  (languages: FallBacks) =>
  async (ids: readonly number[]): Promise<Map<number, string> | undefined> =>
    ids.length === 0 ? new Map() : keeper.read((client) => readNames(client, ids, languages));

const searchIn = async (index: ProductIndex, asked: BrowseRequest, texts: LanguageTexts) => {
  const { page, code, order, languages } = asked;
  const isByName = order === 'NAME_ASC';
  const codeIds = code === undefined ? [] : await keeper.read((client) => readIdsByCode(client, code));
  if (!codeIds || !keeper.status.isReady || (isByName && !texts.names.areKnown)) return undefined;
  const position = isByName ? page.position : undefined;
  const boundaryRank = position && texts.names.rankOfPosition(position);
  if (Number.isNaN(boundaryRank)) return undefined;
  const found = search(index, asked, { boundaryRank, codeIds }, texts);
  if (!isByName) return found;
  const names = await namesIn(languages)(found.items.map(({ id }) => id));
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
  const answer = await (name === 'search'
    ? searchIn(index, asked, texts)
    : texts.suggestions.suggest(asked, namesIn(languages)));
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
