import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  coerceInputLiteral,
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  Source,
  separateOperations,
  type ValueNode,
  validate,
} from 'graphql';
import { AppError, OperatorError } from '../errors.ts';
import { checkBounds } from '../graphql/arguments.ts';
import { checkCost, costOf } from '../graphql/limits/cost.ts';
import { checkSelections } from '../graphql/limits/document-size.ts';
import { fragmentsOf } from '../graphql/selection.ts';
import { parseText } from '../graphql/use-documents.ts';
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

/**
 * Reads and checks the document of every path.
 * @param folder documents and fragments in it replace the built-in ones of the same name
 * @throws OperatorError with file, line and reason for each document that does not fit
 */
export const loadRestOperations = async (
  schema: GraphQLSchema,
  maxCost: number,
  folder?: string,
): Promise<RestOperation[]> => {
  const replacements = folder === undefined ? [] : await filesOf(folder);
  const files = new Map([...(await filesOf(BUILT_IN)), ...replacements].map((file) => [path.basename(file), file]));
  const faults: string[] = [];
  const read = async (file: string, use: (document: DocumentNode) => void): Promise<void> => {
    try {
      use(await parseFile(file));
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      faults.push(describe(error, file));
    }
  };

  const fragments: Fragments = new Map();
  for (const [name, file] of files) {
    if (DOCUMENT_NAMES.includes(name)) continue;
    await read(file, ({ definitions }) => {
      for (const definition of definitions) {
        if (definition.kind !== Kind.FRAGMENT_DEFINITION) throw belongsToNoPath(file);
        addFragment(definition, fragments);
      }
    });
  }

  const spread = new Set<FragmentDefinitionNode>();
  const operations: RestOperation[] = [];
  for (const route of ROUTES) {
    await read(files.get(route.document + EXTENSION) as string, (own) => {
      const added = fragmentsFor(own, fragments);
      for (const fragment of added) spread.add(fragment);
      const operation = restOperation(route, own, added, schema, maxCost);
      const isTaken = operations.some(({ id }) => id === operation.id);
      operations.push(isTaken ? { ...operation, id: route.document } : operation);
    });
  }

  // A document that cannot be read may spread any of them.
  if (faults.length === 0) {
    for (const fragment of fragments.values()) {
      if (!isReplacement(fragment) || spread.has(fragment)) continue;
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

/** The text of a document with the fragments that it spreads: as its files have it, comments inside of definitions included. */
export const textOf = ({ definitions }: DocumentNode): string =>
  definitions.map(({ loc }) => loc?.source.body.slice(loc.start, loc.end)).join('\n\n');

const filesOf = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch((error: Error) => {
    throw new OperatorError(`REST_DOCUMENTS: cannot read the folder ${folder}: ${error.message}`);
  });
  return names.filter((name) => name.endsWith(EXTENSION)).map((name) => path.join(folder, name));
};

const parseFile = async (file: string): Promise<DocumentNode> =>
  parseText(new Source(await readFile(file, 'utf8'), file));

/** The fragments of files that hold nothing else, for every document that spreads them. */
type Fragments = Map<string, FragmentDefinitionNode>;

/** Replacements take the place of built-in ones of the same name. @throws GraphQLError where two replacements have one name */
const addFragment = (fragment: FragmentDefinitionNode, fragments: Fragments): void => {
  const name = fragment.name.value;
  const other = fragments.get(name);
  if (other && isReplacement(other)) {
    if (!isReplacement(fragment)) return;
    const file = path.basename(other.loc?.source.name ?? '');
    throw new GraphQLError(`Fragment "${name}" is also in ${file}.`, { nodes: fragment });
  }
  fragments.set(name, fragment);
};

const isReplacement = ({ loc }: FragmentDefinitionNode): boolean => path.dirname(loc?.source.name ?? '') !== BUILT_IN;

/** The shared fragments that a document spreads; its own fragments take precedence. */
const fragmentsFor = (document: DocumentNode, fragments: Fragments): FragmentDefinitionNode[] => {
  const own = fragmentsOf(document);
  const shared = [...fragments.values()].filter(({ name }) => !own.has(name.value));
  const whole = { ...document, definitions: [...document.definitions, ...shared] };
  const spread = Object.values(separateOperations(whole)).flatMap(({ definitions }) => definitions);
  return shared.filter((fragment) => spread.includes(fragment));
};

const belongsToNoPath = (file: string): OperatorError =>
  new OperatorError(
    `REST_DOCUMENTS: ${path.basename(file)} in ${path.dirname(file)} belongs to no path; the names are ${DOCUMENT_NAMES.join(', ')}`,
  );

const restOperation = (
  route: Route,
  ownDocument: DocumentNode,
  added: readonly FragmentDefinitionNode[],
  schema: GraphQLSchema,
  maxCost: number,
): RestOperation => {
  const document = { kind: Kind.DOCUMENT, definitions: [...ownDocument.definitions, ...added] } as const;
  checkSelections(document);
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
  checkCost(costOf(schema, document, operation), maxCost);
  return {
    id: operation.name?.value ?? route.document,
    route,
    document,
    operation,
    parameters,
    rootKey: (root.alias ?? root.name).value,
  };
};

/** Finds arguments, and defaults of variables, out of bounds: validation knows types alone. @throws GraphQLError */
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
