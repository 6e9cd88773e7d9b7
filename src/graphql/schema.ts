import { lexicographicSortSchema, printSchema } from 'graphql';
import { enforceBounds } from './arguments.ts';
import { builder } from './builder.ts';
import { assertListSizes } from './limits/list-size.ts';
import { enforceRowBudget } from './limits/row-budget.ts';
import './scalars.ts';
import '../product/product.query.ts';
import '../category/category.query.ts';
import '../notice/notice.query.ts';

/** The executable schema: every file above has added its types and queries to the builder. */
export const schema = enforceRowBudget(enforceBounds(assertListSizes(builder.toSchema())));

/** The SDL as `schema.graphql` holds it: sorted, so that a change shows as the change it is. */
export const printSdl = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
