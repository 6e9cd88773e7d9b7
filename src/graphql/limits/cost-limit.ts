import { type GraphQLSchema, getIntrospectionQuery, getOperationAST, parse, type VariableValues } from 'graphql';
import { type CostPlan, planCost } from './cost-plan.ts';
import { readable, tooComplex } from './query-limits.ts';

/** What `extensions.cost` of an answer says. */
export interface CostReport {
  readonly actual: number;
  readonly maximum: number;
  /** The path of the field that costs most. */
  readonly field?: string;
}

export interface CostLimit {
  /** @param variables none: as much as any could make it cost. @throws AppError QUERY_TOO_COMPLEX */
  readonly check: (plan: CostPlan, variables?: VariableValues) => void;
  readonly report: (plan: CostPlan, variables?: VariableValues) => CostReport;
}

/** Introspection may answer this many times what GraphiQL asks for, however large the schema. */
const INTROSPECTION_ROOM = 2;

/** The whole schema in one query, with all that can be told of it. */
const INTROSPECTION_QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

export const createCostLimit = (schema: GraphQLSchema, maximum: number): CostLimit => {
  const introspection = parse(INTROSPECTION_QUERY);
  const operation = getOperationAST(introspection);
  if (!operation) throw new Error('graphql has no introspection query');
  const maxIntrospection = Math.ceil(planCost(schema, introspection, operation).introspection) * INTROSPECTION_ROOM;

  const report: CostLimit['report'] = (plan, variables) => {
    const { total, field } = plan.measure(variables);
    const actual = Math.min(Math.ceil(total), Number.MAX_SAFE_INTEGER);
    return field === undefined ? { actual, maximum } : { actual, maximum, field };
  };

  return {
    report,
    check: (plan, variables) => {
      if (plan.introspection > maxIntrospection) {
        throw tooComplex(
          `The introspection costs ${readable(Math.ceil(plan.introspection))}, and may cost ${readable(maxIntrospection)} (${INTROSPECTION_ROOM} times the whole schema).`,
          { limit: 'introspection', maximum: maxIntrospection, actual: plan.introspection },
        );
      }
      if (plan.measure(variables).total <= maximum) return;
      const excess = report(plan, variables);
      throw tooComplex(
        `The operation costs ${readable(excess.actual)}, and may cost ${readable(maximum)} (QUERY_MAX_COST). Most of it is "${excess.field}".`,
        { limit: 'QUERY_MAX_COST', ...excess },
      );
    },
  };
};
