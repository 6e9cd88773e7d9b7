import { writeFile } from 'node:fs/promises';
import { serialize } from 'node:v8';
import type { HttpClient } from '../load/http-client.ts';
import type { Call } from '../workloads/workload.ts';

/** What the limit says to a request. */
export interface KnownAnswer {
  readonly call: Call;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Asks a gateway and writes its answers to a file that the limit reads. */
export const recordAnswers = async (
  client: HttpClient,
  calls: readonly Call[],
  file: string,
): Promise<KnownAnswer[]> => {
  const answers: KnownAnswer[] = [];
  await client.callAll(calls, (call, { contentType, body }) => {
    answers.push({ call, contentType, body });
  });
  await writeFile(file, serialize(answers));
  return answers;
};
