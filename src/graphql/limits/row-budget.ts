import { type GraphQLSchema, isObjectType } from 'graphql';
import type { OperationContext } from '../context.ts';
import { assumedSizeOf, isObjectList, slicingArgumentOf } from './list-size.ts';
import { readable, tooComplex } from './query-limits.ts';

/** The rows that the lists of one operation may still bring. */
export class RowBudget {
  readonly #maximum: number;
  #spent = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** @throws AppError QUERY_TOO_COMPLEX */
  spend(rows: number, field: string): void {
    this.#spent += rows;
    // One list alone is what the database holds: nobody has multiplied anything.
    if (this.#spent <= this.#maximum || this.#spent === rows) return;
    throw tooComplex(
      `The operation has more than ${readable(this.#maximum)} rows (QUERY_MAX_COST). It was given up in "${field}".`,
      { limit: 'QUERY_MAX_COST', maximum: this.#maximum, actual: this.#spent, field },
    );
  }
}

/**
 * Makes every list count what it really brought. The cost of an operation is an estimate where the length of a list is assumed: a shop may
 * have fifty categories where ten were thought of, and lists in lists multiply the difference.
 */
export const enforceRowBudget = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const isSized = slicingArgumentOf(field) !== undefined || assumedSizeOf(field) !== undefined;
      if (!isSized || !isObjectList(field) || !resolve) continue;
      const name = `${type.name}.${field.name}`;
      field.resolve = (source, args, context: OperationContext, info) => {
        const spend = (items: readonly unknown[]): readonly unknown[] => {
          context.rowBudget.spend(items.length, name);
          return items;
        };
        const items: unknown = resolve(source, args, context, info);
        return items instanceof Promise ? items.then(spend) : spend(items as readonly unknown[]);
      };
    }
  }
  return schema;
};
