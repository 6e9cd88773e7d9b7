import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { FEATURES } from './features.ts';
import { type Bounds, enforceBounds } from './graphql/arguments.ts';
import { builder } from './graphql/builder.ts';
import { noteInfoReaders } from './graphql/executor/compile.ts';
import { assertListSizes, enforceRowBudget } from './graphql/limits/list-size.ts';

// Types and queries add themselves to the builder, once a process.
for (const { register } of FEATURES) await register();

/**
 * The executable schema of all features.
 * @param bounds the configured numbers that ranges of arguments name
 * @throws OperatorError where such a number does not fit the argument
 * @throws Error that names a field which cannot be served as it is defined
 */
export const createSchema = (bounds: Bounds): GraphQLSchema =>
  enforceRowBudget(enforceBounds(assertListSizes(noteInfoReaders(builder.toSchema())), bounds));

/** The SDL as `schema.graphql` holds it: sorted, so that a change shows as the change it is. */
export const printSdl = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
