import { GRAPHQL_BODY_WITH_COST } from './body-form.ts';
import type { GatewayPlugin, ServerContext } from './context.ts';
import type { CostLimit } from './limits/cost.ts';
import type { Documents } from './use-documents.ts';

/** Tells the cost of an operation, in `extensions.cost`, to those who ask for it by `extensions: { cost: true }`: also of one that fails in part. */
export const useCost = (documents: Documents, costLimit: CostLimit): GatewayPlugin => ({
  onParams: ({ params, context }) => {
    if (params.extensions?.cost === true) context.state.form = GRAPHQL_BODY_WITH_COST;
  },
  onExecute: ({ args }) => {
    const { state } = args.contextValue as ServerContext;
    if (state.form !== GRAPHQL_BODY_WITH_COST) return undefined;
    return {
      onExecuteDone: ({ result, setResult }) => {
        if (!('errors' in result) || !result.errors || result.data === undefined) return;
        const operation = documents.prepare(args.document, args.operationName);
        const variables = operation?.coerce(args.variableValues ?? {}).variableValues;
        if (!operation || !variables) return;
        const cost = costLimit.report(operation.cost, variables);
        setResult({ ...result, extensions: { ...result.extensions, cost } });
      },
    };
  },
});
