import { LRUCache } from 'lru-cache';
import type { BodyForm } from './engine.ts';
import type { Operation } from './operation.ts';

/** What a request asks for. */
export interface Asked {
  readonly operation: Operation;
  /** As they came. */
  readonly variables: Record<string, unknown>;
  readonly form: BodyForm;
  /** Of its answer. */
  readonly contentType: string;
}

/**
 * What requests turned out to ask for, by their very bytes: what was read, parsed and validated once need not be again, whether or not the answer is
 * in memory. It holds no document longer than the cache of documents does.
 */
export interface RequestMemo {
  readonly recall: (key: string) => Asked | undefined;
  readonly learn: (key: string, asked: Asked) => void;
}

const MAX_CHARS = 524_288;
const ENTRY_OVERHEAD_CHARS = 200;

export const createRequestMemo = (): RequestMemo => {
  const known = new LRUCache<string, Omit<Asked, 'operation'> & { readonly operation: WeakRef<Operation> }>({
    maxSize: MAX_CHARS,
    sizeCalculation: (_, key) => key.length + ENTRY_OVERHEAD_CHARS,
  });
  return {
    recall: (key) => {
      const asked = known.get(key);
      const operation = asked?.operation.deref();
      return asked && operation && { ...asked, operation };
    },
    learn: (key, asked) => void known.set(key, { ...asked, operation: new WeakRef(asked.operation) }),
  };
};
