import type { DocumentNode, ExecutionResult } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Access } from '../access/access.ts';
import type { Clock } from '../database/clock.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { ViewCounter } from '../notice/view-counter.ts';
import type { Caller, OperationContext } from './context.ts';
import { createLoaders } from './loaders.ts';
import { createMaskError } from './mask-error.ts';
import { useAccess, useMaskedResult, useNoIntrospection, useNoSuggestions } from './plugins.ts';
import { schema } from './schema.ts';

export interface Engine {
  /** The GraphQL door: GraphQL over HTTP, https://graphql.github.io/graphql-over-http/draft/ */
  readonly yoga: YogaServerInstance<Caller, OperationContext>;
  /** The REST door: runs a document that was validated at start, with the same plugins, context and resolvers. */
  readonly execute: (
    document: DocumentNode,
    variables: Record<string, unknown>,
    caller: Caller,
  ) => Promise<ExecutionResult>;
}

interface Deps {
  readonly prisma: PrismaClient;
  readonly clock: Clock;
  readonly viewCounter: ViewCounter;
  readonly access: Access;
  readonly log: Logger;
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
}

// Yoga matches this against the end of the whole URL, query included; a space is in no URL.
const NO_HEALTH_CHECK = ' ';

export const createEngine = ({
  prisma,
  clock,
  viewCounter,
  access,
  log,
  introspection,
  fieldSuggestions,
}: Deps): Engine => {
  const yoga = createYoga<Caller, OperationContext>({
    schema,
    graphqlEndpoint: '/graphql',
    landingPage: false,
    graphiql: false,
    cors: false,
    healthCheckEndpoint: NO_HEALTH_CHECK,
    multipart: false,
    batching: false,
    logging: false,
    // For what fails before or after execution; useMaskedResult has seen the rest.
    maskedErrors: { maskError: createMaskError(log), errorMessage: '' },
    context: ({ isGranted, countViews, log: requestLog }) => {
      const now = clock.now();
      const loaders = createLoaders({ prisma, viewCounter, now, countViews });
      return { isGranted, countViews, log: requestLog, prisma, now, loaders };
    },
    plugins: [
      useAccess(access),
      useMaskedResult(),
      !introspection && useNoIntrospection(),
      !fieldSuggestions && useNoSuggestions(),
    ],
  });

  return {
    yoga,
    execute: async (document, variables, caller) => {
      // `getEnveloped` types what Yoga adds to a context of its own making; none of it is read on this path.
      const { execute, contextFactory } = yoga.getEnveloped(caller as Parameters<typeof yoga.getEnveloped>[0]);
      const contextValue = await contextFactory();
      return execute({ schema, document, contextValue, variableValues: variables });
    },
  };
};
