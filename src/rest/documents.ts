import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type ArgumentNode,
  coerceInputLiteral,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  Source,
  TypeInfo,
  type ValueNode,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { AppError, OperatorError } from '../errors.ts';
import { checkBounds } from '../graphql/arguments.ts';
import { parseWithin } from '../graphql/documents.ts';
import { type CostLimit, createCostLimit, planCost } from '../graphql/limits/cost.ts';
import { checkShape } from '../graphql/limits/document-shape.ts';
import type { QueryLimits } from '../graphql/limits/query-limits.ts';
import { readFragments, type SharedFragments, shareFragments } from './fragments.ts';
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
const DOCUMENT_NAMES = ROUTES.map((route) => route.document + EXTENSION);

/**
 * Reads and checks the document of every path.
 * @param folder documents and fragments in it take the place of the built-in ones of the same name
 * @throws OperatorError with file, line and reason for each document that does not fit
 */
export const loadRestOperations = async (
  schema: GraphQLSchema,
  limits: QueryLimits,
  folder?: string,
): Promise<RestOperation[]> => {
  const checks: Checks = { schema, limits, costLimit: createCostLimit(schema, limits.maxCost) };
  const faults: string[] = [];
  const replacements = folder === undefined ? [] : await filesOf(folder);
  const files = new Map([...(await filesOf(BUILT_IN)), ...replacements].map((file) => [path.basename(file), file]));
  const fragments = await readShared([...files.values()], limits, faults);
  const operations: RestOperation[] = [];
  for (const route of ROUTES) {
    const file = files.get(route.document + EXTENSION) ?? path.join(BUILT_IN, route.document + EXTENSION);
    try {
      const operation = restOperation(route, new Source(await readFile(file, 'utf8'), file), fragments, checks);
      const isTaken = operations.some(({ id }) => id === operation.id);
      operations.push(isTaken ? { ...operation, id: route.document } : operation);
    } catch (error) {
      faults.push(describe(error, file));
    }
  }
  // While a document cannot be read, nobody knows what it spreads.
  if (faults.length === 0) faults.push(...fragments.unused().map((fragment) => describe(unusedError(fragment), '')));
  if (faults.length > 0)
    throw new OperatorError(
      `REST documents do not fit:\n${[...new Set(faults)].map((fault) => `  ${fault}`).join('\n')}`,
    );
  return operations;
};

/** The text of each document by its operation's id. */
export const operationTexts = (operations: readonly RestOperation[]): Record<string, string> =>
  Object.fromEntries(operations.map(({ id, document }) => [id, document.loc?.source.body ?? print(document)]));

/** The GraphQL files of a folder. */
const filesOf = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch((error: Error) => {
    throw new OperatorError(`REST_DOCUMENTS: cannot read the folder ${folder}: ${error.message}`);
  });
  return names.filter((name) => name.endsWith(EXTENSION)).map((name) => path.join(folder, name));
};

/** The fragments in all files that belong to no path. @param faults takes those of files that cannot be read */
const readShared = async (
  files: readonly string[],
  limits: QueryLimits,
  faults: string[],
): Promise<SharedFragments> => {
  const builtIn: FragmentDefinitionNode[] = [];
  const replacements: FragmentDefinitionNode[] = [];
  for (const file of files.filter((each) => !DOCUMENT_NAMES.includes(path.basename(each)))) {
    try {
      const fragments = await readFragments(file, limits);
      if (!fragments) {
        throw new OperatorError(
          `REST_DOCUMENTS: ${path.basename(file)} in ${path.dirname(file)} belongs to no path; the names are ${DOCUMENT_NAMES.join(', ')}`,
        );
      }
      (path.dirname(file) === BUILT_IN ? builtIn : replacements).push(...fragments);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      faults.push(describe(error, file));
    }
  }
  try {
    return shareFragments(builtIn, replacements);
  } catch (error) {
    faults.push(describe(error, ''));
    return shareFragments(builtIn, []);
  }
};

const unusedError = (fragment: FragmentDefinitionNode): GraphQLError =>
  new GraphQLError(`No document spreads fragment "${fragment.name.value}".`, { nodes: fragment });

interface Checks {
  readonly schema: GraphQLSchema;
  readonly limits: QueryLimits;
  readonly costLimit: CostLimit;
}

const restOperation = (
  route: Route,
  source: Source,
  fragments: SharedFragments,
  { schema, limits, costLimit }: Checks,
): RestOperation => {
  const { document, text } = fragments.complete(parseWithin(limits, source));
  checkShape(document, limits);
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
    // One text, for which an equal request to /graphql has an equal id.
    document: parseWithin(limits, new Source(text, source.name)),
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
  const { name = file } = error instanceof GraphQLError ? (error.source ?? {}) : {};
  return location ? `${name}:${location.line}:${location.column} ${message}` : `${file} ${message}`;
};

/**
 * Finds what every request that leaves its parameters out would be refused for: an argument, or the default of a variable that feeds one,
 * that is out of the argument's bounds. Validation knows types, but not bounds.
 * @throws GraphQLError
 */
const checkArguments = (document: DocumentNode, operation: OperationDefinitionNode, schema: GraphQLSchema): void => {
  const defaults = new Map(
    operation.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const typeInfo = new TypeInfo(schema);
  const check = (node: ArgumentNode): void => {
    const argument = typeInfo.getArgument();
    const literal: ValueNode | undefined =
      node.value.kind === Kind.VARIABLE ? defaults.get(node.value.name.value) : node.value;
    if (!argument || !literal) return;
    if (literal.kind === Kind.NULL) {
      if (!isNonNullType(argument.type)) return;
      throw new GraphQLError(`Argument "${argument.name}" may not be null.`, { nodes: literal });
    }
    try {
      checkBounds(argument, coerceInputLiteral(literal, argument.type));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new GraphQLError(error.message, { nodes: literal });
    }
  };
  visit(document, visitWithTypeInfo(typeInfo, { Argument: check }));
};
