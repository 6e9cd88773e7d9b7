import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import { OperatorError } from '../errors.ts';
import { GRAPHQL_PATH } from '../http/message.ts';
import type { Execution } from './execution.ts';
import type { MaskError } from './mask-error.ts';
import type { GatewayPlugin, ServerContext } from './server-context.ts';
import { type Documents, useDocuments } from './use-documents.ts';
import type { Live } from './use-live.ts';
import { useOperation } from './use-operation.ts';
import { useRequestReader } from './use-request-reader.ts';
import { type TokenResponses, useResultWriter } from './use-result-writer.ts';
import { DOCUMENT_PARAMS, type TrustedDocumentsOptions, useTrustedDocuments } from './use-trusted-documents.ts';

export type Yoga = YogaServerInstance<ServerContext, ServerContext>;

interface Deps {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly trusted: TrustedDocumentsOptions;
  readonly isRestricted: boolean;
  readonly tokens: TokenResponses;
  readonly live: Live;
  readonly execution: Execution;
  readonly maskError: MaskError;
  /** The plugins of the operator. */
  readonly plugins: readonly Plugin[];
}

/**
 * Every GraphQL operation that memory does not answer runs through this list, from top to bottom; REST takes the same list by
 * `yoga.getEnveloped`. A hook that sets an execute function wraps those of the plugins above it. docs/architecture.md has the room in five
 * sentences.
 */
export const createGraphqlServer = (deps: Deps): Yoga => {
  const { documents, trusted, isRestricted, tokens, maskError } = deps;
  return createYoga<ServerContext, ServerContext>({
    schema: deps.schema,
    graphqlEndpoint: GRAPHQL_PATH,
    plugins: [
      useRequestReader(),
      useTrustedDocuments(trusted),
      useDocuments(documents),
      useOperation(documents, isRestricted),
      useResultWriter(tokens),
      deps.live.plugin,
      deps.execution.plugin,
      ...(deps.plugins as unknown as GatewayPlugin[]),
    ],
    extraParamNames: DOCUMENT_PARAMS,
    maskedErrors: { maskError: maskError as (error: unknown) => Error, errorMessage: '' },
    // http/ and pages/ do these for every path, or no client of this gateway may send them.
    cors: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    // The body is read, and bounded, before.
    maxRequestBodySize: false,
    // Documents are remembered by useDocuments, which does not give the place of a valid one to a faulty one.
    parserAndValidationCache: false,
    // Yoga matches this against the end of the whole URL, query included; no URL has a space.
    healthCheckEndpoint: ' ',
    logging: false,
  });
};

/**
 * Loads the plugins of an operator: a module whose default export is a list of them.
 * @param file from the working directory; undefined for none
 * @throws OperatorError if it cannot be loaded, or is no such module
 */
export const loadPlugins = async (file: string | undefined): Promise<readonly Plugin[]> => {
  if (file === undefined) return [];
  let list: unknown;
  try {
    ({ default: list } = await import(pathToFileURL(path.resolve(file)).href));
  } catch (cause) {
    throw new OperatorError(`GRAPHQL_PLUGINS: ${file} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
  if (!Array.isArray(list) || !list.every((plugin) => typeof plugin === 'object' && plugin !== null)) {
    throw new OperatorError(`GRAPHQL_PLUGINS: the default export of ${file} must be a list of plugins`);
  }
  return list;
};
