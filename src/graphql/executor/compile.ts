import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableValues,
  visit,
} from 'graphql';
import type { OperationContext } from '../context.ts';
import { collectFields, type Fragments, fragmentsOf } from '../selection.ts';
import { type Output, write as writeText } from './output.ts';
import { NotCompiled } from './placeholder.ts';
import { argsReader, leafWriter } from './values.ts';

/** One operation, compiled for one schema. */
export interface CompiledOperation {
  /** The JSON text of `data`. @throws anything at all: the reference executor then says what is wrong */
  readonly run: (variables: VariableValues, context: OperationContext) => string | Promise<string>;
}

export interface Run {
  readonly variables: VariableValues;
  readonly context: OperationContext;
}

/** Writes a completed value. */
export type Writer = (value: unknown, run: Run, output: Output) => void;

interface CompiledField {
  /** `"key":` */
  readonly label: string;
  readonly read: (source: Record<string, unknown>, run: Run) => unknown;
  readonly write: Writer;
}

/**
 * Compiles an operation into closures that read the rows and write the JSON, without the plain objects, paths and promises in between. The
 * resolvers are the schema's own.
 * @returns undefined for what it does not cover: introspection, abstract types, directives, resolvers that read `info`, anything but a query
 */
export const compile = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | undefined => {
  const queryType = schema.getQueryType();
  if (operation.operation !== 'query' || !queryType || hasDirective(document)) return undefined;
  const fragments = fragmentsOf(document);
  let write: Writer;
  try {
    write = objectWriter(queryType, [operation.selectionSet], fragments);
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
  return {
    run: (variables, context) => {
      const run = { variables, context };
      return writeText(run, (output) => write({}, run, output));
    },
  };
};

/**
 * Notes which resolvers take the fourth parameter, `info`: an operation that selects such a field is not compiled. It has to see the resolvers as
 * they were written, before others are wrapped around them.
 * @throws Error for a field that the Prisma plugin reads
 */
export const noteInfoReaders = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      if (field.extensions.pothosPrismaSelect) {
        throw new Error(
          `${type.name}.${field.name} is read by the Prisma plugin (t.relation or "select"), so that no cached response would depend on the rows. ` +
            'Resolve the field by a loader: t.field({ resolve: (row, args, { loaders }) => … }).',
        );
      }
      if (field.resolve && field.resolve.length > 3) field.extensions = { ...field.extensions, readsInfo: true };
    }
  }
  return schema;
};

const hasDirective = (document: DocumentNode): boolean => {
  let found = false;
  visit(document, {
    Directive: () => {
      found = true;
    },
  });
  return found;
};

const objectWriter = (
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
): Writer => {
  const fields = [...collectFields(selectionSets, fragments)].map(([key, nodes], index) =>
    compileField(type, `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, nodes, fragments),
  );
  return (value, run, output) => {
    // An error that is given is an error that is thrown: a list of a DataLoader may hold some.
    if (value instanceof Error) throw new NotCompiled();
    const source = value as Record<string, unknown>;
    for (const { label, read, write } of fields) {
      output.text += label;
      const result = read(source, run);
      if (isPromise(result)) output.await(result, write);
      else write(result, run, output);
    }
    output.text += '}';
  };
};

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

const compileField = (
  parent: GraphQLObjectType,
  label: string,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): CompiledField => {
  const [node] = nodes;
  if (!node) throw new NotCompiled();
  const name = node.name.value;
  if (name === '__typename') {
    return { label, read: () => null, write: (_, __, output) => (output.text += JSON.stringify(parent.name)) };
  }
  const field = parent.getFields()[name];
  // Introspection's root fields are on no type.
  if (!field) throw new NotCompiled();
  const selectionSets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const write = valueWriter(field.type, selectionSets, fragments);
  const { resolve } = field;
  if (!resolve) return { label, read: (source) => source[name], write };
  if (field.extensions.readsInfo) throw new NotCompiled();

  const readArgs = argsReader(field, node);
  // The fourth parameter is costly to make, and almost no resolver reads it.
  return {
    label,
    write,
    read: (source, run) => resolve(source, readArgs(run.variables), run.context, undefined as never),
  };
};

const valueWriter = (
  type: GraphQLOutputType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
): Writer => {
  if (!isNonNullType(type)) {
    const write = nonNullWriter(type, selectionSets, fragments);
    return (value, run, output) => {
      if (value === null || value === undefined) output.text += 'null';
      else write(value, run, output);
    };
  }
  const write = nonNullWriter(type.ofType, selectionSets, fragments);
  return (value, run, output) => {
    if (value === null || value === undefined) throw new NotCompiled();
    write(value, run, output);
  };
};

const nonNullWriter = (
  type: GraphQLOutputType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
): Writer => {
  if (isListType(type)) return listWriter(valueWriter(type.ofType, selectionSets, fragments));
  if (isObjectType(type)) return objectWriter(type, selectionSets, fragments);
  if (!isLeafType(type)) throw new NotCompiled();
  const toJson = leafWriter(type);
  return (value, _, output) => {
    output.text += toJson(value);
  };
};

const listWriter =
  (write: Writer): Writer =>
  (value, run, output) => {
    if (!Array.isArray(value)) throw new NotCompiled();
    output.text += '[';
    let isFirst = true;
    for (const item of value) {
      if (!isFirst) output.text += ',';
      isFirst = false;
      if (isPromise(item)) output.await(item, write);
      else write(item, run, output);
    }
    output.text += ']';
  };
