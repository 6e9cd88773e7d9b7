import { hash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { type ErrorCode, OperatorError } from '../errors.ts';
import { describe, faultsOf, readManifest } from './document-manifest.ts';
import type { Documents } from './documents.ts';

/** What a request says of its document: a text, an id, or both. */
export interface DocumentReference {
  readonly query: string | undefined;
  readonly documentId: string | undefined;
}

/** Documents that requests name by an id: those of the operator's file, and automatic persisted queries. */
export interface TrustedDocuments {
  /** The text of the document that a request means. @throws GraphQLError with a code of ERROR_TABLE */
  readonly textOf: (reference: DocumentReference) => string;
}

interface Options {
  /** Ids and texts that are trusted from the start. */
  readonly documents: ReadonlyMap<string, string>;
  /** Whether all other documents are refused. */
  readonly areRequired: boolean;
}

/** Of the texts that clients have registered. */
const MAX_LEARNED_CHARS = 1_048_576;
const ENTRY_OVERHEAD_CHARS = 200;

export const createTrustedDocuments = ({ documents, areRequired }: Options): TrustedDocuments => {
  const texts = new Set(documents.values());
  const trusted = new Map<string, string>();
  for (const [id, text] of documents) trusted.set(canonicalId(id), text).set(idOf(text), text);
  const learned = new LRUCache<string, string>({
    maxSize: MAX_LEARNED_CHARS,
    sizeCalculation: (text) => text.length + ENTRY_OVERHEAD_CHARS,
  });

  /** An automatic persisted query: https://www.apollographql.com/docs/apollo-server/performance/apq */
  const register = (id: string, text: string): string => {
    if (areRequired) throw refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    if (id !== idOf(text)) throw refusal('BAD_USER_INPUT', 'The hash of the request is not that of its document.');
    learned.set(id, text);
    return text;
  };

  return {
    textOf: ({ query, documentId }) => {
      if (query !== undefined && texts.has(query)) return query;
      if (documentId === undefined) {
        if (areRequired) throw refusal('TRUSTED_DOCUMENT_REQUIRED', 'Only trusted documents are run here.');
        return query ?? '';
      }
      const id = canonicalId(documentId);
      const known = trusted.get(id) ?? learned.get(id);
      if (query === undefined) {
        if (known === undefined) throw refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
        return known;
      }
      return known === query ? query : register(id, query);
    },
  };
};

const refusal = (code: ErrorCode, message: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

const idOf = (text: string): string => `sha256:${hash('sha256', text)}`;

/** A SHA-256 hash may be given with or without its prefix, in any case. Any other id is used as it is. */
const canonicalId = (id: string): string => {
  const digest = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)?.[1];
  return digest === undefined ? id : `sha256:${digest.toLowerCase()}`;
};

/**
 * Reads trusted documents.
 * @param check as clients' documents are checked
 * @throws OperatorError if a file cannot be read, or with a line for each document that does not fit the schema
 */
export const readTrustedDocuments = async (
  files: readonly string[],
  check: Documents['check'],
): Promise<Map<string, string>> => {
  const documents = new Map<string, string>();
  const faults: string[] = [];
  for (const file of files) {
    for (const [id, text] of await readManifest(file)) {
      faults.push(...faultsOf(text, check).map((fault) => `${file}: ${fault.name} (${id}): ${describe(fault)}`));
      documents.set(id, text);
    }
  }
  if (faults.length > 0) {
    throw new OperatorError(`Trusted documents do not fit:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
  return documents;
};
