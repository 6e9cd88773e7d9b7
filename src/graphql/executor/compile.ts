import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  type VariableValues,
  visit,
} from 'graphql';
import { objectFieldsOf } from '../arguments.ts';
import type { OperationContext } from '../context.ts';
import { collectFields, type Fragments, fragmentsOf, type MergedField, type Parent, rootOf } from '../selection.ts';
import { NotCompiled, type Run, type Writer, write as writeText } from './output.ts';
import { argsReader, leafWriter } from './values.ts';

/** One operation, compiled for one schema. */
export interface CompiledOperation {
  /** The JSON text of `data`. @throws any error: the reference executor then reports it */
  readonly run: (variables: VariableValues, context: OperationContext) => string | Promise<string>;
}

interface CompiledField {
  /** `"key":` */
  readonly label: string;
  readonly read: (source: Record<string, unknown>, run: Run) => unknown;
  readonly write: Writer;
}

/**
 * Compiles an operation into closures that read the rows and write the JSON, without the plain objects, paths and promises in between. The
 * resolvers are the schema's own.
 * @returns undefined for what is not supported: introspection, directives, resolvers that read `info`
 */
export const compile = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | undefined => {
  const rootType = schema.getRootType(operation.operation);
  if (!rootType || hasDirective(document)) return undefined;
  let write: Writer;
  try {
    write = objectWriter(rootType, rootOf(operation), fragmentsOf(document));
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
  for (const { field, coordinate } of objectFieldsOf(schema)) {
    if (field.extensions.pothosPrismaSelect) {
      throw new Error(
        `${coordinate} is read by the Prisma plugin (t.relation or "select"), so that no cached response would depend on the rows. ` +
          'Resolve the field by a loader: t.field({ resolve: (row, args, { loaders }) => … }).',
      );
    }
    if (field.resolve && field.resolve.length > 3) field.extensions = { ...field.extensions, readsInfo: true };
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

const objectWriter = (type: GraphQLObjectType, parents: readonly Parent[], fragments: Fragments): Writer => {
  const fields = [...collectFields(parents, fragments)].map(([key, selections], index) =>
    compileField(type, `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, selections, fragments),
  );
  return (value, run, output) => {
    // A value that is an error counts as thrown: a list of a DataLoader may hold some.
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
  selections: MergedField,
  fragments: Fragments,
): CompiledField => {
  const [{ node }] = selections;
  const name = node.name.value;
  if (name === '__typename') {
    return { label, read: () => null, write: (_, __, output) => (output.text += JSON.stringify(parent.name)) };
  }
  const field = parent.getFields()[name];
  // Introspection's root fields belong to no type.
  if (!field || field.extensions.readsInfo) throw new NotCompiled();
  const write = valueWriter(field.type, selections, fragments);
  const { resolve } = field;
  if (!resolve) return { label, read: (source) => source[name], write };

  const readArgs = argsReader(field, node);
  // The fourth parameter is costly to make, and almost no resolver reads it.
  return {
    label,
    write,
    read: (source, run) => resolve(source, readArgs(run.variables), run.context, undefined as never),
  };
};

const valueWriter = (type: GraphQLOutputType, selections: MergedField, fragments: Fragments): Writer => {
  if (!isNonNullType(type)) {
    const write = nonNullWriter(type, selections, fragments);
    return (value, run, output) => {
      if (value === null || value === undefined) output.text += 'null';
      else write(value, run, output);
    };
  }
  const write = nonNullWriter(type.ofType, selections, fragments);
  return (value, run, output) => {
    if (value === null || value === undefined) throw new NotCompiled();
    write(value, run, output);
  };
};

const nonNullWriter = (type: GraphQLOutputType, selections: MergedField, fragments: Fragments): Writer => {
  if (isListType(type)) return listWriter(valueWriter(type.ofType, selections, fragments));
  if (isObjectType(type)) return objectWriter(type, selections, fragments);
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
