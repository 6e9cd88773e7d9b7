import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { registerBrowse } from './browse/browse.feature.ts';
import { FEATURES } from './features.ts';
import { enforceBounds } from './graphql/arguments.ts';
import { builder } from './graphql/builder.ts';
import { noteParameters } from './graphql/executor/compile.ts';
import { enforceRowCount } from './graphql/limits/list-size.ts';

const registerChanges = (): Promise<unknown> => import('./graphql/live/changes.ts');

// Types and queries register with the builder once in a process.
for (const register of [...FEATURES.map((feature) => feature.register), registerBrowse, registerChanges])
  await register();

/**
 * The executable schema of all features.
 * @throws Error that names a field whose definition cannot be served
 */
export const createSchema = (): GraphQLSchema => enforceRowCount(enforceBounds(noteParameters(builder.toSchema())));

/** The SDL of `schema.graphql`: sorted, so that a change of order is no difference. */
export const printSdl = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
