/** The thread that has the index: it reads the products by a connection of its own, and answers what the gateway's thread asks. */

import { parentPort, workerData } from 'node:worker_threads';
import { connectionConfig, DatabaseClient, SET_SESSION } from '../../database/connection.ts';
import { positionOf } from '../order.ts';
import { IndexKeeper } from './keeper.ts';
import { readIdsByCode } from './read.ts';
import { correct, search } from './search.ts';
import { suggest } from './texts.ts';
import type { FromThread, Question, Questions, ThreadOptions, ToThread } from './thread.ts';

const CONNECT_TIMEOUT_MS = 5000;

const { databaseUrl, ...options }: ThreadOptions = workerData;
const connection = connectionConfig(databaseUrl);

const post = (message: FromThread): void => parentPort?.postMessage(message);

const keeper = new IndexKeeper({
  ...options,
  connect: async () => {
    const client = new DatabaseClient({
      ...connection,
      application_name: `${connection.application_name} index`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    client.on('error', () => {});
    await client.connect();
    await client.query(SET_SESSION);
    return client;
  },
  onStatus: () => post({ kind: 'status', status: keeper.status }),
  log: (level, message) => post({ kind: 'log', level, message }),
});

const answerOf = async ({ name, asked }: Question): Promise<Questions[Question['name']]['answer'] | undefined> => {
  const { languages } = asked;
  const isByName = name === 'search' && asked.order === 'NAME_ASC';
  const index = await keeper.current(isByName && !languages);
  const texts = index?.textsIn(languages);
  if (!index || !texts) return undefined;
  if (name === 'suggest') return suggest(index, asked, texts);
  if (name === 'correct') return { terms: correct(index, asked, texts) };
  const { page, code } = asked;
  const codeIds = code === undefined ? [] : await keeper.read((client) => readIdsByCode(client, code));
  if (!codeIds || !keeper.status.isReady || (isByName && !texts.names.areKnown)) return undefined;
  const position = isByName ? positionOf(page) : undefined;
  const boundaryRank = position && texts.names.rankOfPosition(position);
  return position && boundaryRank === undefined ? undefined : search(index, asked, { boundaryRank, codeIds }, texts);
};

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'changed') {
    for (const change of message.changes) keeper.changed(change);
    return;
  }
  const { number } = message;
  answerOf(message).then(
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
