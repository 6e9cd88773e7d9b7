import { execFile } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createYogaThread, type Fault } from '../../src/graphql/yoga-thread.ts';

// In a file of its own, because it counts the threads of its process.

const threads: Worker[] = [];
process.on('worker', (worker) => threads.push(worker));

type Options = Parameters<typeof createYogaThread>[0];

const start = (options?: Options) => {
  const yoga = createYogaThread(options);
  onTestFinished(yoga.stop);
  threads.length = 0;
  return yoga;
};

const post = (text: string) => ({ method: 'POST', target: '/graphql', body: Buffer.from(text) });
const get = (parameters: Record<string, string>) => ({
  method: 'GET',
  target: `/graphql?${new URLSearchParams(parameters)}`,
  body: undefined,
});

test('a fault has the words, the status and the headers of Yoga', async () => {
  const yoga = start();
  const faultOf = async (request: Parameters<typeof yoga.faultsOf>[0]) => {
    const faults = await yoga.faultsOf(request);
    expect(faults).toHaveLength(1);
    const [{ message, extensions }] = faults as [Fault];
    const { code, http } = extensions as { code: string; http: { status: number; headers: object } };
    return [message, code, http.status, http.headers];
  };
  const allow = { allow: 'GET, POST' };
  const unread = ['POST body sent invalid JSON.', 'BAD_REQUEST', 400, {}];
  expect(await faultOf(post('{'))).toEqual(unread);
  expect(await faultOf(post(''))).toEqual(unread);
  expect(await faultOf(post('[]'))).toEqual(['Batching is not supported.', 'BAD_REQUEST', 400, {}]);
  expect(await faultOf(post('{}'))).toEqual(['Must provide query string.', 'BAD_REQUEST', 400, allow]);
  expect(await faultOf(get({}))).toEqual(['Must provide query string.', 'BAD_REQUEST', 400, allow]);
  expect(await faultOf(post('{"query":"{a}","größe":1}'))).toEqual([
    'Unexpected parameter "größe" in the request body.',
    'BAD_REQUEST',
    400,
    {},
  ]);
  expect(await faultOf(post('{"query":"query A{a} query B{a}"}'))).toEqual([
    'Could not determine what operation to execute.',
    'OPERATION_RESOLUTION_FAILURE',
    400,
    {},
  ]);
  expect(await faultOf(get({ query: 'mutation{a}' }))).toEqual([
    'Can only perform a mutation operation from a POST request.',
    'BAD_REQUEST',
    405,
    { allow: 'POST' },
  ]);
  expect(threads).toHaveLength(1);
});

test('questions that come together are answered each by its own', async () => {
  const yoga = start();
  const names = Array.from({ length: 20 }, (_, index) => `name${index}`);
  const messages = await Promise.all(
    names.map(async (name) => (await yoga.faultsOf(post(`{"query":"{a}","${name}":1}`)))[0]?.message),
  );
  expect(messages).toEqual(names.map((name) => `Unexpected parameter "${name}" in the request body.`));
  expect(threads).toHaveLength(1);
});

test('a program ends after the answer, not before', async () => {
  const program = `
    import { createYogaThread } from './src/graphql/yoga-thread.ts';
    const [fault] = await createYogaThread().faultsOf({ method: 'GET', target: '/graphql', body: undefined });
    console.log(fault.message);`;
  const cwd = path.join(import.meta.dirname, '../..');
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd });
  expect(stdout).toBe('Must provide query string.\n');
});

test('a request that Yoga does not refuse is an error', async () => {
  const yoga = start();
  await expect(yoga.faultsOf(post('{"query":"{ __typename }"}'))).rejects.toThrow('Yoga finds no fault');
  await expect(yoga.faultsOf(post('{"query":"{"}'))).rejects.toThrow('Syntax Error');
  expect(await yoga.faultsOf(post('{}'))).toHaveLength(1);
});

test('it begins with the first question, ends when it has had nothing to do, and begins again', async () => {
  const yoga = start({ idleMs: 1 });
  expect(threads).toHaveLength(0);
  for (const count of [1, 2]) {
    expect(await yoga.faultsOf(post('{}'))).toHaveLength(1);
    expect(threads).toHaveLength(count);
    await once(threads[count - 1] as Worker, 'exit');
  }
});

test('a question that comes while the thread ends is answered by another', async () => {
  const yoga = start();
  expect(await yoga.faultsOf(post('{}'))).toHaveLength(1);
  const [, faults] = await Promise.all([yoga.stop(), yoga.faultsOf(post('{}'))]);
  expect(faults).toHaveLength(1);
  expect(threads).toHaveLength(2);
});

test('whoever waits is told that it died, and the next question begins another', async () => {
  const yoga = start();
  const asked = yoga.faultsOf(post('{}'));
  const dying = once(process, 'worker').then(([thread]) => thread.terminate());
  await Promise.all([dying, expect(asked).rejects.toThrow('has ended')]);
  expect(await yoga.faultsOf(post('{}'))).toHaveLength(1);
  expect(threads).toHaveLength(2);
});

test('whoever waits is told that the gateway closes', async () => {
  const yoga = start();
  const asked = yoga.faultsOf(post('{}'));
  await Promise.all([yoga.stop(), expect(asked).rejects.toThrow('closes')]);
});
