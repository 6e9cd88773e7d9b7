import { type GraphQLSchema, lexicographicSortSchema, printSchema, specifiedDirectives } from 'graphql';
import { builder } from './graphql/builder.ts';
import { enforceLimits } from './graphql/limits/list-size.ts';
import { IN_CONTEXT } from './graphql/operation.ts';

// Types and queries register with the builder, once in a process.
import './category/category.schema.ts';
import './product/product.schema.ts';
import './variant/variant.schema.ts';
import './notice/notice.schema.ts';
import './translation/translation.schema.ts';
import './browse/browse.schema.ts';
import './graphql/live/change-feed.ts';

/**
 * The executable schema of all features.
 * @throws Error that names a field whose definition cannot be served
 */
export const createSchema = (): GraphQLSchema => {
  const schema = builder.toSchema({ directives: [...specifiedDirectives, IN_CONTEXT] });
  return enforceLimits(withoutMutations(schema));
};

/** @throws Error that names the mutations of a schema */
const withoutMutations = (schema: GraphQLSchema): GraphQLSchema => {
  const mutation = schema.getMutationType();
  if (!mutation) return schema;
  const names = Object.keys(mutation.getFields()).join(', ');
  throw new Error(`The schema has mutations (${names}), and this program only reads: take them out of it.`);
};

/** The SDL of `schema.graphql`: sorted, so that a change of order is no difference. */
export const printSdl = (schema: GraphQLSchema): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
