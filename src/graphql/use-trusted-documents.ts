import type { Plugin } from 'graphql-yoga';
import { AppError } from '../errors.ts';
import type { ServerContext } from './request.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** The names of the parameters that name a document, beside `extensions.persistedQuery`. */
export const DOCUMENT_PARAMS = ['documentId', 'doc_id'];

/**
 * Documents that are named by an id. Yoga's plugins for this (persisted operations, automatic persisted queries) are not used: they know no `doc_id`, no text that
 * is trusted without its id, and answer an unknown id with other codes than clients of this gateway have learnt.
 */
export const useTrustedDocuments = ({ textOf }: TrustedDocuments): Plugin<ServerContext, ServerContext> => ({
  onParams: ({ params, setParams }) => {
    // What is no text is refused by Yoga.
    if (params.query != null && typeof params.query !== 'string') return;
    const documentId = documentIdOf(params);
    if (params.query == null && documentId === undefined) return;
    const query = textOf({ query: params.query ?? undefined, documentId });
    if (query !== params.query) setParams({ ...params, query });
  },
});

/** As Relay, the draft on persisted documents, and Apollo's clients name a document. @throws AppError BAD_USER_INPUT */
const documentIdOf = (params: object): string | undefined => {
  const { documentId, doc_id, extensions } = params as Record<string, unknown>;
  const persistedQuery = isObject(extensions) ? extensions.persistedQuery : undefined;
  const hash = persistedQuery == null ? undefined : isObject(persistedQuery) ? persistedQuery.sha256Hash : NaN;
  const id = documentId ?? doc_id ?? hash ?? undefined;
  if (id !== undefined && (typeof id !== 'string' || id === '')) {
    throw new AppError('BAD_USER_INPUT', 'The id of a persisted document must be a string.');
  }
  return id;
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
