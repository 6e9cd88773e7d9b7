/** The thread that has the index: it reads the products by a connection of its own, and answers what the gateway's thread asks. */

import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseClient } from '../../database/client.ts';
import { connectionConfig } from '../../database/connection.ts';
import { IndexKeeper } from './index-keeper.ts';
import type { FromThread, Question, Questions, ThreadOptions, ToThread } from './index-thread.ts';
import { rankOfPosition } from './name-ranks.ts';
import { positionOf } from './page-selection.ts';
import { search } from './product-search.ts';
import { correct, suggest } from './suggestions.ts';

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 120_000;

const { databaseUrl, maxBytes }: ThreadOptions = workerData;
const connection = connectionConfig(databaseUrl);

const post = (message: FromThread): void => parentPort?.postMessage(message);

const keeper = new IndexKeeper({
  maxBytes,
  connect: async () => {
    const client = new DatabaseClient({
      ...connection,
      application_name: `${connection.application_name} index`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
    });
    client.on('error', () => {});
    await client.connect();
    await client.query('set jit = off');
    return client;
  },
  onStatus: () => post({ kind: 'status', status: keeper.status }),
  log: (level, message) => post({ kind: 'log', level, message }),
});

const answer = async ({ name, asked }: Question): Promise<Questions[Question['name']]['answer'] | undefined> => {
  const held = await keeper.current(name === 'search' && asked.order === 'NAME_ASC');
  if (!held) return undefined;
  const { index, categories } = held;
  if (name === 'suggest') return suggest(index, categories, asked);
  if (name === 'correct') return { terms: correct(index, asked) };
  if (asked.order !== 'NAME_ASC') return search(index, asked);
  const { rankings } = index;
  const position = positionOf(asked.page);
  const rank = position && keeper.client ? await rankOfPosition(index, keeper.client, position) : undefined;
  // Another thing may have been read in between.
  const isRanked = index.hasRanks && index.unranked.size === 0 && index.rankings === rankings;
  return isRanked && (!position || rank !== undefined) && keeper.status.isReady
    ? search(index, asked, rank)
    : undefined;
};

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'changed') {
    for (const change of message.changes) keeper.changed(change);
    return;
  }
  const { number } = message;
  answer(message).then(
    (found) => post({ kind: 'answer', number, answer: found }),
    (error: unknown) => {
      post({ kind: 'log', level: 'warn', message: `the index of products could not answer: ${error}` });
      post({ kind: 'answer', number, answer: undefined });
    },
  );
});

keeper.run().catch((error: unknown) => {
  post({ kind: 'unfit', reason: error instanceof Error ? error.message : String(error) });
});
