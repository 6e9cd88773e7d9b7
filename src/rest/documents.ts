import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  coerceInputLiteral,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  Source,
  type ValueNode,
  validate,
} from 'graphql';
import { AppError, OperatorError } from '../errors.ts';
import { checkBounds } from '../graphql/arguments.ts';
import { parseText, parseWithin } from '../graphql/documents.ts';
import { type CostLimit, createCostLimit, planCost } from '../graphql/limits/cost.ts';
import { checkSelections } from '../graphql/limits/document-size.ts';
import type { QueryLimits } from '../graphql/limits/query-limits.ts';
import { SharedFragments } from './fragments.ts';
import { argumentsOf, type GivenArgument, type Parameter, parametersOf } from './parameters.ts';
import { ROUTES, type Route } from './routes.ts';

/** A path and its document, ready to run. */
export interface RestOperation {
  /** The operation's name, or the document's where it has none or another path has it already. */
  readonly id: string;
  readonly route: Route;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly parameters: readonly Parameter[];
  /** The name or alias of the one root field, whose value is the response body. */
  readonly rootKey: string;
}

const BUILT_IN = path.join(import.meta.dirname, 'operations');
const EXTENSION = '.graphql';
const DOCUMENT_NAMES = ROUTES.map((route) => route.document + EXTENSION);

interface Checks {
  readonly schema: GraphQLSchema;
  readonly limits: QueryLimits;
  readonly costLimit: CostLimit;
}

/**
 * Reads and checks the document of every path.
 * @param folder documents and fragments in it replace the built-in ones of the same name
 * @throws OperatorError with file, line and reason for each document that does not fit
 */
export const loadRestOperations = async (
  schema: GraphQLSchema,
  limits: QueryLimits,
  folder?: string,
): Promise<RestOperation[]> => {
  const checks: Checks = { schema, limits, costLimit: createCostLimit(schema, limits.maxCost) };
  const replacements = folder === undefined ? [] : await filesOf(folder);
  const files = new Map([...(await filesOf(BUILT_IN)), ...replacements].map((file) => [path.basename(file), file]));
  const faults: string[] = [];

  const fragments = new SharedFragments();
  for (const [name, file] of files) {
    if (DOCUMENT_NAMES.includes(name)) continue;
    try {
      for (const definition of (await parseFile(file, limits)).definitions) {
        if (definition.kind !== Kind.FRAGMENT_DEFINITION) throw belongsToNoPath(file);
        if (path.dirname(file) === BUILT_IN) fragments.addBuiltIn(definition);
        else fragments.addReplacement(definition);
      }
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      faults.push(describe(error, file));
    }
  }

  const operations: RestOperation[] = [];
  for (const route of ROUTES) {
    const name = route.document + EXTENSION;
    const file = files.get(name) ?? path.join(BUILT_IN, name);
    try {
      const operation = restOperation(route, await parseFile(file, limits), fragments, checks);
      const isTaken = operations.some(({ id }) => id === operation.id);
      operations.push(isTaken ? { ...operation, id: route.document } : operation);
    } catch (error) {
      faults.push(describe(error, file));
    }
  }

  // A document that cannot be read may spread any of them.
  if (faults.length === 0) {
    for (const fragment of fragments.unused()) {
      const message = `No document spreads fragment "${fragment.name.value}".`;
      faults.push(describe(new GraphQLError(message, { nodes: fragment })));
    }
  }
  if (faults.length > 0) {
    const lines = [...new Set(faults)].map((fault) => `  ${fault}`);
    throw new OperatorError(`REST documents do not fit:\n${lines.join('\n')}`);
  }
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

const parseFile = async (file: string, limits: QueryLimits): Promise<DocumentNode> => {
  const text = await readFile(file, 'utf8');
  return parseText(limits, new Source(text, file));
};

const belongsToNoPath = (file: string): OperatorError =>
  new OperatorError(
    `REST_DOCUMENTS: ${path.basename(file)} in ${path.dirname(file)} belongs to no path; the names are ${DOCUMENT_NAMES.join(', ')}`,
  );

const restOperation = (
  route: Route,
  ownDocument: DocumentNode,
  fragments: SharedFragments,
  { schema, limits, costLimit }: Checks,
): RestOperation => {
  const { document, text } = fragments.complete(ownDocument);
  checkSelections(document, limits);
  const errors = validate(schema, document);
  if (errors.length > 0) throw new AggregateError(errors);

  const [operation, ...others] = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const source = ownDocument.loc?.source;
  if (!operation || others.length > 0 || operation.operation !== OperationTypeNode.QUERY) {
    throw new GraphQLError('a document holds exactly one query', { nodes: others[0] ?? operation, source });
  }
  const [root, ...siblings] = operation.selectionSet.selections;
  if (root?.kind !== Kind.FIELD || siblings.length > 0) {
    throw new GraphQLError('the query selects exactly one root field, whose value is the answer', { nodes: operation });
  }
  const given = argumentsOf(document, schema);
  const parameters = parametersOf(operation, given, schema);
  const pathParameter = /\{(\w+)\}/.exec(route.path)?.[1];
  if (pathParameter && !parameters.some(({ name }) => name === pathParameter)) {
    throw new GraphQLError(`${route.path} needs the variable "$${pathParameter}"`, { nodes: operation });
  }
  checkValues(given, parameters);
  // With the parameters that cost most: a client must not be the first to find out.
  costLimit.check(planCost(schema, document, operation));
  return {
    id: operation.name?.value ?? route.document,
    route,
    // One text, so that the operation has the id of an equal request to /graphql.
    document: parseWithin(limits, new Source(text, source?.name)),
    operation,
    parameters,
    rootKey: (root.alias ?? root.name).value,
  };
};

/**
 * Finds what every request without parameters would be refused for: an argument, or the default of a variable that it has, that is out of the
 * argument's bounds. Validation knows types, but not bounds.
 * @throws GraphQLError
 */
const checkValues = (given: readonly GivenArgument[], parameters: readonly Parameter[]): void => {
  for (const { argument, value } of given) {
    const literal: ValueNode | undefined =
      value.kind === Kind.VARIABLE ? parameters.find(({ name }) => name === value.name.value)?.defaultValue : value;
    if (!literal) continue;
    if (literal.kind === Kind.NULL) {
      if (!isNonNullType(argument.type)) continue;
      throw new GraphQLError(`Argument "${argument.name}" may not be null.`, { nodes: literal });
    }
    try {
      checkBounds(argument, coerceInputLiteral(literal, argument.type));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new GraphQLError(error.message, { nodes: literal });
    }
  }
};

/** `file:line:column reason`, a line for each reason. */
const describe = (error: unknown, file = ''): string => {
  if (error instanceof AggregateError) return error.errors.map((each) => describe(each, file)).join('\n  ');
  const message = error instanceof Error ? error.message : String(error);
  const location = error instanceof GraphQLError ? error.locations?.[0] : undefined;
  const { name = file } = error instanceof GraphQLError ? (error.source ?? {}) : {};
  return location ? `${name}:${location.line}:${location.column} ${message}` : `${file} ${message}`;
};
