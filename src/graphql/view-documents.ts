import { LRUCache } from 'lru-cache';

/** The documents that do nothing but count views: where there is no room for other work, there is for them. */
export interface ViewDocuments {
  readonly add: (query: string, operationName: string | undefined) => void;
  /** Whether a request with this body runs one of them, as far as is known without looking at its document. */
  readonly has: (body: Buffer) => boolean;
}

const MAX_DOCUMENTS = 1000;

/** Those who are not known yet are refused like others: to read each would cost more than to refuse it. */
const MAX_BYTES = 8192;

export const createViewDocuments = (): ViewDocuments => {
  const known = new LRUCache<string, true>({ max: MAX_DOCUMENTS });
  const keyOf = (query: unknown, operationName: unknown): string => `${operationName ?? ''} ${query}`;

  return {
    add: (query, operationName) => {
      if (query.length <= MAX_BYTES) known.set(keyOf(query, operationName), true);
    },
    has: (body) => {
      if (known.size === 0 || body.byteLength > MAX_BYTES) return false;
      try {
        const { query, operationName } = JSON.parse(body.toString());
        return known.has(keyOf(query, operationName));
      } catch {
        return false;
      }
    },
  };
};
