import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import type { OperationContext } from '../context.ts';
import {
  collectFields,
  type Fragments,
  fragmentsOf,
  hasNode,
  type MergedField,
  type Parent,
  rootOf,
} from '../selection.ts';
import {
  type Args,
  hold,
  isPromise,
  leafWriter,
  NotCompiled,
  type Run,
  type Writer,
  write as writeText,
} from './output.ts';

/** One operation, compiled for one schema: gives the JSON text of `data`. @throws any error: the reference executor then reports it */
export type CompiledOperation = (variables: VariableValues, context: OperationContext) => string | Promise<string>;

/** What every part of an operation is compiled with. */
interface Compilation {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
}

interface CompiledField {
  /** `"key":`, after the bracket or comma before it. */
  readonly label: string;
  readonly read: (source: Record<string, unknown>, run: Run) => unknown;
  readonly write: Writer;
}

/**
 * Compiles an operation into closures that read the rows and write the JSON, without the plain objects, paths and promises in between. The
 * resolvers are the schema's own.
 * @returns undefined for what is not supported: interfaces and unions, introspection, directives, resolvers that read `info`
 */
export const compile = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | undefined => {
  const rootType = schema.getRootType(operation.operation);
  if (!rootType || hasNode(document, Kind.DIRECTIVE)) return undefined;
  let write: Writer;
  try {
    write = compileObject(rootType, rootOf(operation), { schema, fragments: fragmentsOf(document) });
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
  return (variables, context) => {
    const run = { variables, context, args: new Map() };
    return writeText(run, (output) => write({}, run, output));
  };
};

const compileObject = (type: GraphQLObjectType, parents: readonly Parent[], compilation: Compilation): Writer => {
  // Only graphql-js gives it `info`.
  if (type.isTypeOf) throw new NotCompiled();
  const fields = [...collectFields(parents, compilation.fragments, { schema: compilation.schema, types: [type] })].map(
    ([key, selections], index) =>
      compileField(type, `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, selections, compilation),
  );
  return (value, run, output) => {
    // A value that is an error counts as thrown: a list of a DataLoader may hold some.
    if (value instanceof Error) throw new NotCompiled();
    // The label of the first field has the bracket before it.
    if (fields.length === 0) output.text += '{';
    const source = value as Record<string, unknown>;
    try {
      for (const { label, read, write } of fields) {
        output.text += label;
        const result = read(source, run);
        if (isPromise(result)) output.await(result, write);
        else write(result, run, output);
      }
    } catch (error) {
      hold(value);
      throw error;
    }
    output.text += '}';
  };
};

const compileField = (
  parent: GraphQLObjectType,
  label: string,
  selections: MergedField,
  compilation: Compilation,
): CompiledField => {
  const [{ node }] = selections;
  const name = node.name.value;
  if (name === '__typename') {
    const text = JSON.stringify(parent.name);
    return { label, read: () => null, write: (_, __, output) => (output.text += text) };
  }
  const field = parent.getFields()[name];
  // Introspection's root fields belong to no type, and only graphql-js gives the fourth parameter, `info`.
  if (!field || (field.resolve?.length ?? 0) > 3) throw new NotCompiled();
  const write = compileValue(field.type, selections, compilation);
  const { resolve } = field;
  if (!resolve) return { label, write, read: propertyReader(name) };
  const readArgs = argsReader(field, node);
  // The fourth parameter is costly to make, and almost no resolver reads it.
  return { label, write, read: (source, run) => resolve(source, readArgs(run), run.context, undefined as never) };
};

const propertyReader =
  (name: string) =>
  (source: Record<string, unknown>): unknown => {
    const value = source[name];
    // graphql-js calls a method, with `info`, and finds nothing in what is no object.
    if (typeof value === 'function' || typeof source !== 'object') throw new NotCompiled();
    return value;
  };

const compileValue = (type: GraphQLOutputType, selections: MergedField, compilation: Compilation): Writer => {
  const write = compileNonNull(getNullableType(type), selections, compilation);
  return (value, run, output) => {
    if (value !== null && value !== undefined) write(value, run, output);
    else if (isNonNullType(type)) throw new NotCompiled();
    else output.text += 'null';
  };
};

const compileNonNull = (type: GraphQLOutputType, selections: MergedField, compilation: Compilation): Writer => {
  if (isListType(type)) return listWriter(compileValue(type.ofType, selections, compilation));
  if (isObjectType(type)) return compileObject(type, selections, compilation);
  if (!isLeafType(type)) throw new NotCompiled();
  const toJson = leafWriter(type);
  return (value, _, output) => {
    output.text += toJson(value);
  };
};

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const listWriter =
  (write: Writer): Writer =>
  (value, run, output) => {
    if (!Array.isArray(value)) {
      if (isIterable(value)) hold([...value]);
      throw new NotCompiled();
    }
    output.text += '[';
    let isFirst = true;
    try {
      for (const item of value as unknown[]) {
        if (!isFirst) output.text += ',';
        isFirst = false;
        if (isPromise(item)) output.await(item, write);
        else write(item, run, output);
      }
    } catch (error) {
      hold(value);
      throw error;
    }
    output.text += ']';
  };

/** The arguments of a field, coerced once for all of its objects: https://spec.graphql.org/draft/#CoerceArgumentValues() */
const argsReader = (field: GraphQLField<unknown, unknown>, node: FieldNode): ((run: Run) => Args) => {
  // A copy has fast properties.
  const coerce = (variables?: VariableValues): Args => ({ ...getArgumentValues(field, node, variables) });
  if (!node.arguments?.some((argument) => hasNode(argument, Kind.VARIABLE))) {
    const fixed = coerce();
    return () => fixed;
  }
  return ({ variables, args }) => {
    const known = args.get(node);
    if (known) return known;
    const coerced = coerce(variables);
    args.set(node, coerced);
    return coerced;
  };
};
