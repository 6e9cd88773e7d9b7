import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  Source,
  validate,
  visit,
} from 'graphql';
import { OperatorError } from '../errors.ts';
import { type CostLimit, createCostLimit } from '../graphql/limits/cost-limit.ts';
import { planCost } from '../graphql/limits/cost-plan.ts';
import { parseWithin } from '../graphql/limits/parse-within.ts';
import type { QueryLimits } from '../graphql/limits/query-limits.ts';
import { checkArguments } from './check-arguments.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import { ROUTES, type Route } from './routes.ts';

/** A path and its document, ready to run. */
export interface RestOperation {
  /** The operation's name, or the document's where it has none or another path has it already. */
  readonly id: string;
  readonly route: Route;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly parameters: readonly Parameter[];
  /** The key of the answer in the document's data: its one root field's name or alias. */
  readonly rootKey: string;
  /** The parameter that feeds an argument, by the argument's name. */
  readonly parameterOfArgument: ReadonlyMap<string, string>;
}

const BUILT_IN = path.join(import.meta.dirname, 'operations');
const EXTENSION = '.graphql';

/**
 * Reads and checks the document of every path.
 * @param folder documents in it take the place of the built-in ones of the same name
 * @throws OperatorError with file, line and reason for each document that does not fit
 */
export const loadRestOperations = async (
  schema: GraphQLSchema,
  limits: QueryLimits,
  folder?: string,
): Promise<RestOperation[]> => {
  const checks: Checks = { schema, limits, costLimit: createCostLimit(schema, limits.maxCost) };
  const replaced = folder === undefined ? new Set<string>() : await replacements(folder);
  const faults: string[] = [];
  const operations: RestOperation[] = [];
  for (const route of ROUTES) {
    const name = route.document + EXTENSION;
    const file = folder !== undefined && replaced.has(name) ? path.join(folder, name) : path.join(BUILT_IN, name);
    try {
      const operation = restOperation(route, new Source(await readFile(file, 'utf8'), file), checks);
      const isTaken = operations.some(({ id }) => id === operation.id);
      operations.push(isTaken ? { ...operation, id: route.document } : operation);
    } catch (error) {
      faults.push(describe(error, file));
    }
  }
  if (faults.length > 0)
    throw new OperatorError(`REST documents do not fit:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return operations;
};

/** The text of each document by its operation's id. */
export const operationTexts = (operations: readonly RestOperation[]): Record<string, string> =>
  Object.fromEntries(operations.map(({ id, document }) => [id, document.loc?.source.body ?? print(document)]));

const replacements = async (folder: string): Promise<Set<string>> => {
  const files = await readdir(folder).catch((error: Error) => {
    throw new OperatorError(`REST_DOCUMENTS: cannot read the folder ${folder}: ${error.message}`);
  });
  const documents = files.filter((file) => file.endsWith(EXTENSION));
  const known = ROUTES.map((route) => route.document + EXTENSION);
  const strangers = documents.filter((file) => !known.includes(file));
  if (strangers.length > 0) {
    throw new OperatorError(
      `REST_DOCUMENTS: ${strangers.join(', ')} in ${folder} belongs to no path; the names are ${known.join(', ')}`,
    );
  }
  return new Set(documents);
};

interface Checks {
  readonly schema: GraphQLSchema;
  readonly limits: QueryLimits;
  readonly costLimit: CostLimit;
}

const restOperation = (route: Route, source: Source, { schema, limits, costLimit }: Checks): RestOperation => {
  const document = parseWithin(limits, source);
  const errors = validate(schema, document);
  if (errors.length > 0) throw new AggregateError(errors);

  const [operation, ...others] = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!operation || others.length > 0 || operation.operation !== OperationTypeNode.QUERY) {
    throw new GraphQLError('a document holds exactly one query', { nodes: others, source });
  }
  const [root, ...siblings] = operation.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || siblings.length > 0) {
    throw new GraphQLError('the query selects exactly one root field, whose value is the answer', { nodes: operation });
  }
  const parameters = parametersOf(operation, schema);
  const pathParameter = /\{(\w+)\}/.exec(route.path)?.[1];
  if (pathParameter && !parameters.some(({ name }) => name === pathParameter)) {
    throw new GraphQLError(`${route.path} needs the variable "$${pathParameter}"`, { nodes: operation });
  }
  checkArguments(document, operation, schema);
  // With the parameters that cost most: no client is to find out later.
  costLimit.check(planCost(schema, document, operation));
  return {
    id: operation.name?.value ?? route.document,
    route,
    document,
    operation,
    parameters,
    rootKey: (root.alias ?? root.name).value,
    parameterOfArgument: parametersByArgument(document),
  };
};

const parametersByArgument = (document: DocumentNode): Map<string, string> => {
  const byArgument = new Map<string, string>();
  visit(document, {
    Argument: ({ name, value }) => {
      if (value.kind === Kind.VARIABLE && !byArgument.has(name.value)) byArgument.set(name.value, value.name.value);
    },
  });
  return byArgument;
};

/** `file:line:column reason`, a line for each reason. */
const describe = (error: unknown, file: string): string => {
  if (error instanceof AggregateError) return error.errors.map((each) => describe(each, file)).join('\n  ');
  const message = error instanceof Error ? error.message : String(error);
  const location = error instanceof GraphQLError ? error.locations?.[0] : undefined;
  return location ? `${file}:${location.line}:${location.column} ${message}` : `${file} ${message}`;
};
