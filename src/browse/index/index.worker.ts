/** The thread that has the index: it reads the products by a connection of its own, and answers what the gateway's thread asks. */

import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseClient } from '../../database/client.ts';
import { connectionConfig } from '../../database/connection.ts';
import { type Held, IndexKeeper } from './index-keeper.ts';
import type { FromThread, Question, Questions, ThreadOptions, ToThread } from './messages.ts';
import { rankOfPosition } from './name-ranks.ts';
import { positionOf } from './page-selection.ts';
import { type SearchReply, search } from './product-search.ts';
import { correct, suggest } from './suggestions.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** For reading the order of all names, which is one statement. */
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

/** Undefined where the index cannot say. */
const answer = async (question: Question): Promise<Questions[Question['name']]['answer'] | undefined> => {
  const held = keeper.current(question.name === 'search' && question.asked.order === 'NAME_ASC');
  const { index, categories } = (held instanceof Promise ? await held : held) ?? {};
  if (!index || !categories) return undefined;
  switch (question.name) {
    case 'search':
      return question.asked.order === 'NAME_ASC'
        ? searchByName({ index, categories }, question.asked)
        : search(index, question.asked);
    case 'suggest':
      return suggest(index, categories, question.asked);
    case 'correct':
      return { terms: correct(index, question.asked) };
  }
};

const searchByName = async ({ index }: Held, asked: Questions['search']['asked']): Promise<SearchReply | undefined> => {
  const { rankings } = index;
  const position = positionOf(asked.page);
  const { client } = keeper;
  const rank = position && client ? await rankOfPosition(index, client, position) : undefined;
  // Another thing may have been read in between.
  const isRanked = index.hasRanks && index.unranked.size === 0 && index.rankings === rankings;
  if (!isRanked || (position && rank === undefined) || !keeper.status.isReady) return undefined;
  return search(index, asked, rank);
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
