import type { DocumentNode } from 'graphql';
import type { YogaServerOptions } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';

/** Of texts; a document that is parsed, validated and compiled takes up to 160 bytes a character (measured). */
const MAX_CHARS = 262_144;
const ENTRY_OVERHEAD_CHARS = 200;

type CacheOption = YogaServerOptions<object, object>['parserAndValidationCache'];

/** Documents by their texts, bounded by what they take and not only by their number. Texts that do not parse are not kept. */
export const createDocumentCache = (): CacheOption => ({
  documentCache: new LRUCache<string, DocumentNode>({
    maxSize: MAX_CHARS,
    sizeCalculation: (_, text) => text.length + ENTRY_OVERHEAD_CHARS,
  }),
  errorCache: { get: () => undefined, set: () => {} },
});
