/** The thread with Yoga: it is asked what is wrong with requests that the gateway has refused. */

import { parentPort } from 'node:worker_threads';
import { buildSchema, type ExecutionResult, type GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { GRAPHQL_PATH } from '../http/message.ts';
import type { Answer, Fault, Question } from './yoga-thread.ts';

/** A host that is never looked up: the one that the client names is not trusted. */
const ORIGIN = 'http://gateway.invalid';

interface Asked {
  readonly errors: GraphQLError[];
}

const noteErrors: Plugin<Record<never, never>, Asked> = {
  // What comes after the parameters is found by the gateway.
  onValidate: () => {
    throw new Error('Yoga finds no fault in a request that was refused');
  },
  onResultProcess: ({ result, serverContext }) => {
    serverContext.errors.push(...((result as ExecutionResult).errors ?? []));
  },
};

const yoga = createYoga<Asked, Record<never, never>>({
  schema: buildSchema('type Query { unused: Boolean }'),
  graphqlEndpoint: GRAPHQL_PATH,
  landingPage: false,
  graphiql: false,
  cors: false,
  // Yoga matches this against the end of the whole URL, query included; no URL has a space.
  healthCheckEndpoint: ' ',
  multipart: false,
  batching: false,
  logging: false,
  parserAndValidationCache: false,
  maskedErrors: false,
  plugins: [noteErrors],
});

const faultsOf = async ({ target, body }: Question): Promise<readonly Fault[]> => {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const asked: Asked = { errors: [] };
  await (body === undefined
    ? yoga.fetch(new URL(ORIGIN + target).href, { headers }, asked)
    : yoga.fetch(ORIGIN + GRAPHQL_PATH, { method: 'POST', headers, body }, asked));
  return asked.errors.map(({ message, extensions: { code, http } }) => ({
    message,
    extensions: { code, http: { ...http, headers: inLowerCase(http?.headers) } },
  }));
};

const inLowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const post = (answer: Answer): void => parentPort?.postMessage(answer);

parentPort?.on('message', (question: Question) => {
  const { number } = question;
  faultsOf(question).then(
    (faults) => post({ number, faults }),
    (error: Error) => post({ number, error }),
  );
});
