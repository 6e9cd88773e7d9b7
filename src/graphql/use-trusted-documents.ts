import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { GraphQLError, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { AppError, type ErrorCode, OperatorError } from '../errors.ts';
import { MAX_DOCUMENT_CHARS } from './limits/document-size.ts';
import type { GatewayPlugin } from './server-context.ts';
import type { Documents } from './use-documents.ts';

/** The names of the parameters that name a document, beside `extensions.persistedQuery`. */
export const DOCUMENT_PARAMS = ['documentId', 'doc_id'];

export interface TrustedDocumentsOptions {
  readonly documents: ReadonlyMap<string, string>;
  readonly areRequired: boolean;
}

/** The most characters of all texts that clients have registered. */
const MAX_LEARNED_CHARS = 1_048_576;
const ENTRY_OVERHEAD_CHARS = 200;

/**
 * Documents that requests name by an id: those of the operator's file, and automatic persisted queries. Yoga's plugins for this are not
 * used: they know no `doc_id`, no text that is trusted without its id, and answer an unknown id with other codes than clients of this
 * gateway have learnt.
 */
export const useTrustedDocuments = ({ documents, areRequired }: TrustedDocumentsOptions): GatewayPlugin => {
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
    // It will be refused.
    if (text.length > MAX_DOCUMENT_CHARS) return text;
    if (id !== idOf(text)) throw refusal('BAD_USER_INPUT', 'The hash of the request is not that of its document.');
    learned.set(id, text);
    return text;
  };

  /** The text of the document that a request means. */
  const textOf = (query: string | undefined, documentId: string | undefined): string => {
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
  };

  return {
    onParams: ({ params, setParams }) => {
      // Yoga refuses a query that is no text.
      if (params.query != null && typeof params.query !== 'string') return;
      const documentId = documentIdOf(params);
      if (params.query == null && documentId === undefined) return;
      const query = textOf(params.query ?? undefined, documentId);
      if (query !== params.query) setParams({ ...params, query });
    },
  };
};

/** As Relay, the draft on persisted documents, and Apollo's clients name a document. @throws AppError BAD_USER_INPUT */
const documentIdOf = (params: object): string | undefined => {
  const { documentId, doc_id, extensions } = params as Record<string, unknown>;
  const persistedQuery = isRecord(extensions) ? extensions.persistedQuery : undefined;
  const hash = persistedQuery == null ? undefined : isRecord(persistedQuery) ? persistedQuery.sha256Hash : NaN;
  const id = documentId ?? doc_id ?? hash ?? undefined;
  if (id !== undefined && (typeof id !== 'string' || id === '')) {
    throw new AppError('BAD_USER_INPUT', 'The id of a persisted document must be a string.');
  }
  return id;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refusal = (code: ErrorCode, message: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

const idOf = (text: string): string => `sha256:${hash('sha256', text)}`;

/** A SHA-256 hash may be given with or without its prefix, in any case. Any other id is used as it is. */
const canonicalId = (id: string): string => {
  const digest = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(id)?.[1];
  return digest === undefined ? id : `sha256:${digest.toLowerCase()}`;
};

/**
 * Reads trusted documents.
 * @param clientDocuments check them as they check those of clients
 * @throws OperatorError if a file cannot be read, or with a line for each document that does not fit the schema
 */
export const readTrustedDocuments = async (
  files: readonly string[],
  clientDocuments: Pick<Documents, 'check'>,
): Promise<Map<string, string>> => {
  const documents = new Map<string, string>();
  const faults: string[] = [];
  for (const file of files) {
    for (const [id, text] of await readManifest(file)) {
      faults.push(...faultsOf(id, text, clientDocuments).map((fault) => `${file}: ${fault}`));
      documents.set(id, text);
    }
  }
  if (faults.length > 0) {
    throw new OperatorError(`Trusted documents do not fit:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
  return documents;
};

const MANIFEST_FORMAT = 'apollo-persisted-query-manifest';

/** Apollo's manifest, or a map of ids to texts (Relay, GraphQL Code Generator), as ids and texts; undefined for anything else. */
const textsIn = (content: unknown): [id: string, text: string][] | undefined => {
  if (!isRecord(content)) return undefined;
  const { format, operations } = content;
  const entries =
    format === MANIFEST_FORMAT && Array.isArray(operations)
      ? operations.map((operation): unknown[] => [operation?.id, operation?.body])
      : Object.entries(content);
  return entries.every(isIdAndText) ? entries : undefined;
};

const isIdAndText = (entry: readonly unknown[]): entry is [id: string, text: string] =>
  entry.every((part) => typeof part === 'string') && entry[0] !== '';

/**
 * Reads a file of documents.
 * @returns ids and texts
 * @throws OperatorError if it cannot be read or has another form
 */
const readManifest = async (file: string): Promise<[id: string, text: string][]> => {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`Trusted documents: ${file} cannot be read: ${(error as Error).message}`);
  }
  const texts = textsIn(content);
  if (!texts) {
    throw new OperatorError(
      `Trusted documents: ${file} must be a JSON object of ids and texts, or a manifest with "format": "${MANIFEST_FORMAT}"`,
    );
  }
  return texts;
};

/** Why a document would be refused: its first operation, the id, the line and the reason, as far as they are known. */
const faultsOf = (id: string, text: string, documents: Pick<Documents, 'check'>): string[] => {
  let name = 'document';
  const describe = (error: Error): string => {
    const line = error instanceof GraphQLError ? error.locations?.[0]?.line : undefined;
    return `${name} (${id}): ${line === undefined ? '' : `line ${line}: `}${error.message}`;
  };
  try {
    const { document, errors } = documents.check(text);
    const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
    if (!operation) throw new Error('It has no operation.');
    name = operation.name?.value ?? 'unnamed operation';
    return errors.map(describe);
  } catch (error) {
    return [describe(error as Error)];
  }
};
