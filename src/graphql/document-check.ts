import { type GraphQLSchema, getVariableValues, Kind, NoDeprecatedCustomRule, validate } from 'graphql';
import { AppError } from '../errors.ts';
import { type CostLimit, createCostLimit } from './limits/cost.ts';
import type { Documents } from './use-documents.ts';
import { type DocumentFault, faultsOf, nameOf } from './use-trusted-documents.ts';

export interface DocumentReport {
  /** The gateway would refuse it, whatever its variables are. */
  readonly faults: readonly DocumentFault[];
  /** It runs, but uses deprecated fields, or costs too much with some variables. */
  readonly warnings: readonly DocumentFault[];
  /** The most that each operation can cost. */
  readonly costs: readonly { readonly name: string; readonly cost: number }[];
}

interface Options {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly maxCost: number;
}

/** Checks documents as the gateway would, without a database. */
export const createDocumentCheck = ({ schema, documents, maxCost }: Options) => {
  const limit = createCostLimit(schema, maxCost);

  return (text: string): DocumentReport => {
    const faults = faultsOf(text, documents.check);
    if (faults.length > 0) return { faults, warnings: [], costs: [] };
    const { document } = documents.check(text);
    const deprecations = validate(schema, document, [NoDeprecatedCustomRule]);
    const [first] = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
    const warnings: DocumentFault[] = deprecations.map(({ message, locations }) => ({
      name: first ? nameOf(first) : 'document',
      message,
      line: locations?.[0]?.line,
    }));
    const excessive: DocumentFault[] = [];
    const costs: { name: string; cost: number }[] = [];
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = nameOf(definition);
      const operation = documents.prepare(document, definition.name?.value);
      if (!operation) continue;
      const line = definition.loc?.startToken.line;
      const { variableDefinitions = [] } = definition;
      // A variable without a default counts as left out.
      const { variableValues } = getVariableValues(
        schema,
        variableDefinitions.filter(({ defaultValue }) => defaultValue !== undefined),
        {},
      );
      const always = excess(() => limit.check(operation.cost, variableValues));
      const atMost = excess(() => limit.check(operation.cost));
      if (always !== undefined) excessive.push({ name, message: always, line });
      else if (atMost !== undefined)
        warnings.push({ name, message: `With the largest values of its variables: ${atMost}`, line });
      costs.push({ name, cost: Math.ceil(operation.cost.measure().total) });
    }
    return { faults: excessive, warnings, costs };
  };
};

const excess = (check: () => ReturnType<CostLimit['check']>): string | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
};
