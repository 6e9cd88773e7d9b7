import { execute, getOperationAST, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Caller } from './context.ts';
import { type BodyForm, type Engine, type Executed, ExecutionFailed } from './engine.ts';
import type { CostLimit, CostReport } from './limits/cost-limit.ts';
import { type Operation, rootFieldsOf } from './operation.ts';
import type { Asked } from './request-memo.ts';
import type { ViewDocuments } from './view-documents.ts';

/** One request on its way through Yoga. */
export interface YogaCall {
  readonly caller: Caller;
  /** What the engine makes of it, where it was asked already. */
  readonly attempt?: Promise<Executed> | undefined;
  /** Told what the engine made of it, where that was a result without errors, and what it was asked. */
  readonly onExecuted: (executed: Executed, asked: Omit<Asked, 'contentType'>) => void;
  /** Told what an operation that is not valid selects on the query root. */
  readonly onInvalid: (rootFields: ReadonlySet<string>) => void;
}

type YogaPlugin = Plugin<Record<never, never>, YogaCall>;

interface Deps extends Pick<Engine, 'prepare' | 'answer'> {
  readonly costLimit: CostLimit;
  readonly viewDocuments: ViewDocuments;
}

const GRAPHQL_BODY: BodyForm = { name: 'graphql', toBody: (data) => `{"data":${data}}` };

/** Under a name of its own, so that answers with the cost and those without are kept apart. */
const bodyWithCost = (cost: CostReport): BodyForm => {
  const extensions = JSON.stringify({ cost });
  return { name: 'graphql+cost', toBody: (data) => `{"data":${data},"extensions":${extensions}}` };
};

/** The cost, where the request asks for it: `"extensions": { "cost": true }`. */
const costAskedFor = (
  costLimit: CostLimit,
  { cost, coerce }: Operation,
  { extensions, variables }: GraphQLParams,
): CostReport | undefined => {
  const coerced = extensions?.cost === true ? coerce(variables ?? {}) : undefined;
  return coerced && costLimit.report(cost, coerced);
};

/** Yoga reads the request, parses, validates and writes the response; in between it asks the engine, as REST does. */
export const useEngine = ({ prepare, answer, costLimit, viewDocuments }: Deps): YogaPlugin => ({
  onExecute: ({ setExecuteFn }) => {
    setExecuteFn(async (args) => {
      const { document, operationName, variableValues, contextValue } = args as Parameters<typeof execute>[0] & {
        contextValue: YogaCall & { params: GraphQLParams };
      };
      const operation = prepare(document, operationName);
      // It says that there is no such operation.
      if (!operation) return execute(args);
      const { params } = contextValue;
      if (operation.isOnlyCounted && params.query) viewDocuments.add(params.query, params.operationName);
      contextValue.caller.record.isFor('graphql', operation.label, '/graphql');
      const variables = variableValues ?? {};
      const cost = costAskedFor(costLimit, operation, params);
      const form = cost ? bodyWithCost(cost) : GRAPHQL_BODY;
      try {
        const { attempt, caller, onExecuted } = contextValue;
        onExecuted(await (attempt ?? answer(operation, variables, caller, form)), { operation, variables, form });
        // Of what Yoga makes of this, the door uses everything but the body, which is there already.
        return { data: {}, stringify: () => '' };
      } catch (error) {
        if (!(error instanceof ExecutionFailed)) throw error;
        const { data, errors } = error;
        return { errors, ...(data === undefined ? {} : { data }), ...(cost ? { extensions: { cost } } : {}) };
      }
    });
  },
});

/** For an operation that is none. */
const ANY_FIELD = '*';

/** Tells the door of an operation that is not valid, so that only those who may run it learn what is wrong with it. */
export const useInvalid = (): YogaPlugin => ({
  onValidate: ({ params: { documentAST }, context }) => {
    const { params, onInvalid } = context as typeof context & YogaCall;
    return ({ valid }) => {
      if (valid) return;
      const definition = getOperationAST(documentAST, params.operationName);
      onInvalid(definition ? rootFieldsOf(documentAST, definition) : new Set([ANY_FIELD]));
    };
  },
});

/** Tells of the first error of a result, wherever on the way it came from. */
export const useErrorRecord = (): YogaPlugin => ({
  onResultProcess: ({ result, serverContext: { caller } }) => {
    const code = 'errors' in result ? result.errors?.[0]?.extensions.code : undefined;
    if (code !== undefined) caller.record.code = String(code);
  },
});

export const useNoIntrospection = (): YogaPlugin => ({
  onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
});
