/** The thread that imports GraphiQL's package, one module of 9 MB: the 100 ms that this takes hold up no answer, and 30 MB end with the thread. */

import { parentPort } from 'node:worker_threads';
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql';

parentPort?.postMessage({ css, editorWorkerService, graphqlWorker, js, jsonWorker });
