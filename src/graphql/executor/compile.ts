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
  print,
  type VariableValues,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { objectFieldsOf } from '../arguments.ts';
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
  readonly writers: Writers;
}

interface Compiled {
  readonly write: Writer;
  /** What is selected below, with aliases and arguments, in one form for all documents. Empty for a leaf. */
  readonly selection: string;
}

interface CompiledField extends Compiled {
  /** `"key":` */
  readonly label: string;
  readonly read: (source: Record<string, unknown>, run: Run) => unknown;
}

/**
 * Compiles an operation into closures that read the rows and write the JSON, without the plain objects, paths and promises in between. The
 * resolvers are the schema's own.
 * @param writers those of the operations that were compiled before
 * @returns undefined for what is not supported: interfaces and unions, introspection, directives, resolvers that read `info`
 */
export const compile = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  writers: Writers = createWriters(),
): CompiledOperation | undefined => {
  const rootType = schema.getRootType(operation.operation);
  if (!rootType || hasNode(document, Kind.DIRECTIVE)) return undefined;
  let write: Writer;
  try {
    write = compileRoot(rootType, rootOf(operation), { schema, fragments: fragmentsOf(document), writers });
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
  return (variables, context) => {
    const run = { variables, context, args: new Map() };
    return writeText(run, (output) => write({}, run, output));
  };
};

/**
 * Notes which resolvers take the fourth parameter, `info`: an operation that selects such a field is not compiled. It has to see the resolvers as
 * they were written, before others are wrapped around them.
 */
export const noteParameters = (schema: GraphQLSchema): GraphQLSchema => {
  for (const { field } of objectFieldsOf(schema)) {
    if ((field.resolve?.length ?? 0) > 3) field.extensions = { ...field.extensions, readsInfo: true };
  }
  return schema;
};

/** Field by field: documents that select the same share its writer. */
const compileRoot = (type: GraphQLObjectType, parents: readonly Parent[], compilation: Compilation): Writer =>
  writeObject(
    compileFields(type, parents, compilation).map((field) =>
      compilation.writers.memo(`${type} ${field.selection}`, { context: () => fieldsWriter([field]) }),
    ),
  );

const compileObject = (type: GraphQLObjectType, parents: readonly Parent[], compilation: Compilation): Compiled => {
  // Only graphql-js gives it `info`.
  if (type.isTypeOf) throw new NotCompiled();
  const fields = compileFields(type, parents, compilation);
  const selection = `{${fields.map((field) => field.selection).join('')}}`;
  const make = (): Writer => writeObject(fields.length > 0 ? [fieldsWriter(fields)] : []);
  return { selection, write: compilation.writers.memo(`${type} ${selection}`, { context: make }) };
};

/** Of selections: what is compiled of one takes up to 90 bytes a character (measured). */
const MAX_SHARED_CHARS = 65_536;

/** Of one schema: what is selected of a type decides what is written, so documents that select the same share the writer with its compiled code. */
export type Writers = LRUCache<string, Writer, () => Writer>;

export const createWriters = (): Writers =>
  new LRUCache({
    maxSize: MAX_SHARED_CHARS,
    sizeCalculation: (_, key) => key.length,
    memoMethod: (_, __, { context: make }) => make(),
  });

const compileFields = (
  type: GraphQLObjectType,
  parents: readonly Parent[],
  compilation: Compilation,
): CompiledField[] =>
  [...collectFields(parents, compilation.fragments, { schema: compilation.schema, types: [type] })].map(
    ([key, selections], index) =>
      compileField(type, `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, selections, compilation),
  );

const writeObject =
  (parts: readonly Writer[]): Writer =>
  (value, run, output) => {
    // A value that is an error counts as thrown: a list of a DataLoader may hold some.
    if (value instanceof Error) throw new NotCompiled();
    // The label of the first field has the bracket before it.
    if (parts.length === 0) output.text += '{';
    try {
      for (const writePart of parts) writePart(value, run, output);
    } catch (error) {
      hold(value);
      throw error;
    }
    output.text += '}';
  };

const fieldsWriter =
  (fields: readonly CompiledField[]): Writer =>
  (value, run, output) => {
    const source = value as Record<string, unknown>;
    for (const { label, read, write } of fields) {
      output.text += label;
      const result = read(source, run);
      if (isPromise(result)) output.await(result, write);
      else write(result, run, output);
    }
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
    return {
      label,
      selection: `${label}${text}`,
      read: () => null,
      write: (_, __, output) => (output.text += text),
    };
  }
  const field = parent.getFields()[name];
  // Introspection's root fields belong to no type.
  if (!field || field.extensions.readsInfo) throw new NotCompiled();
  const { write, selection } = compileValue(field.type, selections, compilation);
  const compiled = {
    label,
    selection: `${label}${name}(${node.arguments?.map(print).join() ?? ''})${selection}`,
    write,
  };
  const { resolve } = field;
  if (!resolve) return { ...compiled, read: propertyReader(name) };
  const readArgs = argsReader(field, node);
  // The fourth parameter is costly to make, and almost no resolver reads it.
  return {
    ...compiled,
    read: (source, run) => resolve(source, readArgs(run), run.context, undefined as never),
  };
};

const propertyReader =
  (name: string) =>
  (source: Record<string, unknown>): unknown => {
    const value = source[name];
    // graphql-js calls a method, with `info`, and finds nothing in what is no object.
    if (typeof value === 'function' || typeof source !== 'object') throw new NotCompiled();
    return value;
  };

const compileValue = (type: GraphQLOutputType, selections: MergedField, compilation: Compilation): Compiled => {
  const { write, selection } = compileNonNull(getNullableType(type), selections, compilation);
  return {
    selection,
    write: (value, run, output) => {
      if (value !== null && value !== undefined) write(value, run, output);
      else if (isNonNullType(type)) throw new NotCompiled();
      else output.text += 'null';
    },
  };
};

const compileNonNull = (type: GraphQLOutputType, selections: MergedField, compilation: Compilation): Compiled => {
  if (isListType(type)) {
    const { write, selection } = compileValue(type.ofType, selections, compilation);
    return { selection, write: listWriter(write) };
  }
  if (isObjectType(type)) return compileObject(type, selections, compilation);
  if (!isLeafType(type)) throw new NotCompiled();
  const toJson = leafWriter(type);
  return {
    selection: '',
    write: (value, _, output) => {
      output.text += toJson(value);
    },
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
