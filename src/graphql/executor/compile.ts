import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
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
import { type FieldsOf, fieldsIn, hasNode, type MergedField, type Parent, rootOf } from '../selection.ts';

type Args = Record<string, unknown>;

/** One run of a compiled operation. */
interface Run {
  readonly variables: VariableValues;
  readonly context: OperationContext;
  /** Of fields whose arguments depend on variables. */
  readonly args: Map<FieldNode, Args>;
}

/** Writes the JSON of a value. */
type Writer = (value: unknown, run: Run, output: Output) => void;

/**
 * Thrown where the value of a field does not fit its type, or an argument has no value. Compiled operations only know how to succeed: the
 * reference executor then repeats every failure, and reports it as the specification says.
 */
class NotCompiled extends Error {}

/** Whether a value is still loading: any thenable is, as Prisma's own promise. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** JSON in the making, of which parts may be loading or have failed. */
class Output {
  readonly #pieces: string[] = [];
  /** What is loading, and the places of the pieces that are kept for it. */
  #loading: Promise<string>[] | undefined;
  readonly #places: number[] = [];

  add(text: string): void {
    this.#pieces.push(text);
  }

  /** A value that may be loading. What fails is a promise, too: others go on, because Node ends a process where nobody waits for theirs. */
  addValue(value: unknown, write: Writer, run: Run): void {
    try {
      // A promise of another kind, as Prisma's, begins only once it is waited for.
      if (isPromise(value)) this.#addLoading(Promise.resolve(value).then((loaded) => textOf(loaded, write, run)));
      else write(value, run, this);
    } catch (error) {
      this.#addLoading(Promise.reject(error));
    }
  }

  #addLoading(text: Promise<string>): void {
    this.#loading ??= [];
    this.#loading.push(text);
    this.#places.push(this.#pieces.push('') - 1);
  }

  /** At once where nothing in it is loading. */
  text(): Text {
    const pieces = this.#pieces;
    if (this.#loading === undefined) return pieces.join('');
    return Promise.all(this.#loading).then((texts) => {
      for (const [index, place] of this.#places.entries()) pieces[place] = texts[index] as string;
      return pieces.join('');
    });
  }
}

type Text = string | Promise<string>;

const textOf = (value: unknown, write: Writer, run: Run): Text => {
  const output = new Output();
  write(value, run, output);
  return output.text();
};

/** One operation, compiled for one schema: gives the JSON text of `data`. @throws any error: the reference executor then reports it */
export type CompiledOperation = (variables: VariableValues, context: OperationContext) => Text;

interface CompiledField {
  /** `"key":`, after the comma before it. */
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
    write = compileObject(rootType, rootOf(operation), fieldsIn(document, schema));
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
  return (variables, context) => textOf({}, write, { variables, context, args: new Map() });
};

const compileObject = (type: GraphQLObjectType, parents: readonly Parent[], fieldsOf: FieldsOf): Writer => {
  // Only graphql-js gives it `info`.
  if (type.isTypeOf) throw new NotCompiled();
  const fields = [...fieldsOf(parents, [type])].map(([key, selections], index) =>
    compileField(type, `${index === 0 ? '' : ','}${JSON.stringify(key)}:`, selections, fieldsOf),
  );
  return (value, run, output) => {
    // A value that is an error counts as thrown: a list of a DataLoader may hold some.
    if (value instanceof Error) throw new NotCompiled();
    const source = value as Record<string, unknown>;
    output.add('{');
    for (const { label, read, write } of fields) {
      output.add(label);
      output.addValue(read(source, run), write, run);
    }
    output.add('}');
  };
};

const compileField = (
  parent: GraphQLObjectType,
  label: string,
  selections: MergedField,
  fieldsOf: FieldsOf,
): CompiledField => {
  const [{ node }] = selections;
  const name = node.name.value;
  if (name === '__typename') {
    const text = JSON.stringify(parent.name);
    return { label, read: () => null, write: (_value, _run, output) => output.add(text) };
  }
  const field = parent.getFields()[name];
  // Introspection's root fields belong to no type, and only graphql-js gives the fourth parameter, `info`.
  if (!field || (field.resolve?.length ?? 0) > 3) throw new NotCompiled();
  const write = compileValue(field.type, selections, fieldsOf);
  const { resolve } = field;
  if (!resolve) return { label, write, read: propertyReader(name) };
  const readArgs = argsReader(field, node);
  const read = (source: Record<string, unknown>, run: Run): unknown => {
    try {
      return resolve(source, readArgs(run), run.context, undefined as never);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return { label, read, write };
};

const propertyReader =
  (name: string) =>
  (source: Record<string, unknown>): unknown => {
    const value = source[name];
    // graphql-js calls a method, with `info`, and finds nothing in what is no object.
    return typeof value === 'function' || typeof source !== 'object' ? Promise.reject(new NotCompiled()) : value;
  };

const compileValue = (type: GraphQLOutputType, selections: MergedField, fieldsOf: FieldsOf): Writer => {
  const write = compileNonNull(getNullableType(type), selections, fieldsOf);
  return (value, run, output) => {
    if (value !== null && value !== undefined) write(value, run, output);
    else if (isNonNullType(type)) throw new NotCompiled();
    else output.add('null');
  };
};

const compileNonNull = (type: GraphQLOutputType, selections: MergedField, fieldsOf: FieldsOf): Writer => {
  if (isListType(type)) return listWriter(compileValue(type.ofType, selections, fieldsOf));
  if (isObjectType(type)) return compileObject(type, selections, fieldsOf);
  if (!isLeafType(type)) throw new NotCompiled();
  return leafWriter(type);
};

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const listWriter =
  (write: Writer): Writer =>
  (value, run, output) => {
    if (!Array.isArray(value)) {
      // Nobody waits for its promises, and Node ends a process where one is rejected.
      if (isIterable(value)) for (const item of value) if (isPromise(item)) item.then(undefined, () => {});
      throw new NotCompiled();
    }
    output.add('[');
    for (const [index, item] of value.entries()) {
      if (index > 0) output.add(',');
      output.addValue(item, write, run);
    }
    output.add(']');
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

/** Result coercion of a scalar or enum, straight to JSON: https://spec.graphql.org/draft/#sec-Scalars.Result-Coercion */
const leafWriter =
  (type: GraphQLLeafType): Writer =>
  (value, _run, output) => {
    // A value that is an error counts as thrown.
    if (value instanceof Error) throw new NotCompiled();
    const result = type.coerceOutputValue(value);
    const text = result === null ? undefined : JSON.stringify(result);
    // No value is an error, and what JSON cannot say leaves out its key.
    if (text === undefined) throw new NotCompiled();
    output.add(text);
  };
