import { LRUCache } from 'lru-cache';
import type { Answer, Place } from '../cache/answer.ts';
import type { Answers } from '../cache/answers.ts';
import type { OperationCounts } from '../observability/request-counts.ts';
import type { GatewayRequest } from './message.ts';

/**
 * Which answer a request got, by its very bytes: the same bytes get the same answer again without being read, parsed or executed. Other
 * spellings of the same request find their own way to the one answer, and are remembered too.
 */
export interface Recollection {
  readonly recall: (request: Recalled, body?: Buffer) => Recollected | undefined;
  readonly learn: (request: Recalled, answer: Answer, kept: Kept, body?: Buffer) => void;
  /** Whether the request was answered before, so that its answer may still be in memory. */
  readonly knows: (request: Recalled, body?: Buffer) => boolean;
}

/** What the request decides beside its answer. */
export interface Kept {
  readonly contentType: string;
  readonly link?: string | undefined;
  /** Where its like are counted. */
  readonly counts: OperationCounts;
}

export interface Recollected {
  readonly answer: Answer;
  readonly kept: Kept;
}

type Recalled = Pick<GatewayRequest, 'method' | 'target' | 'headers'>;

const MAX_KEY_BYTES = 8192;
const ENTRY_OVERHEAD_BYTES = 200;

/** Everything of a request that decides its answer; undefined for one that is never recalled. @param body of a POST */
export const requestKey = ({ method, target, headers }: Recalled, body: Buffer | undefined): string | undefined => {
  if (method === 'POST') {
    if (
      body === undefined ||
      body.byteLength > MAX_KEY_BYTES ||
      target !== '/graphql' ||
      headers['content-type'] !== 'application/json' ||
      headers['content-encoding'] !== undefined
    )
      return undefined;
    return `${headers.accept ?? ''}\n${body.toString('latin1')}`;
  }
  // A GraphQL query in the target negotiates its media type; a REST path has one.
  if (method === 'GET' || method === 'HEAD')
    return target.startsWith('/graphql') ? `${headers.accept ?? ''} ${target}` : target;
  return undefined;
};

/** @param maxBytes 0 remembers nothing */
export const createRecollection = (answers: Answers, maxBytes: number): Recollection => {
  if (maxBytes === 0) return { recall: () => undefined, learn: () => {}, knows: () => false };
  const known = new LRUCache<string, Kept & { readonly key: string; place: Place }>({
    maxSize: maxBytes,
    sizeCalculation: ({ link = '' }, key) => key.length + link.length + ENTRY_OVERHEAD_BYTES,
  });
  return {
    recall: (request, body) => {
      const key = requestKey(request, body);
      // Without a note of its use: what falls out is learnt again.
      const kept = key === undefined ? undefined : known.peek(key);
      if (kept === undefined) return undefined;
      const there = answers.peekAt(kept.place);
      if (there) return { answer: there, kept };
      // It may have been made anew, elsewhere.
      const answer = answers.peek(kept.key);
      if (answer) kept.place = answer.place;
      return answer && { answer, kept };
    },
    learn: (request, { key: answerKey, place }, { contentType, link, counts }, body) => {
      const key = requestKey(request, body);
      if (key !== undefined) known.set(key, { key: answerKey, place, contentType, link, counts });
    },
    knows: (request, body) => known.has(requestKey(request, body) ?? ''),
  };
};
