import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableValues,
  visit,
} from 'graphql';
import type { OperationContext } from '../context.ts';
import { leafWriter } from './leaf.ts';
import { Output } from './output.ts';

/**
 * Thrown where the value of a field breaks the schema's word, or an argument has no value. The compiled program only knows how to succeed:
 * whatever goes wrong is given to the reference executor, which finds it again and says it as the specification has it.
 */
class NotCompiled extends Error {}

/** One operation, compiled for one schema. */
export interface CompiledOperation {
  /** The JSON text of `data`. @throws anything at all: the reference executor then says what is wrong */
  readonly run: (variables: VariableValues, context: OperationContext) => string | Promise<string>;
}

interface Run {
  readonly variables: VariableValues;
  readonly context: OperationContext;
}

type Args = Record<string, unknown>;

/** Writes a completed value. */
type Writer = (value: unknown, run: Run, output: Output) => void;

interface CompiledField {
  /** `"key":` */
  readonly label: string;
  readonly read: (source: Record<string, unknown>, run: Run) => unknown;
  readonly write: Writer;
}

/**
 * Compiles an operation into closures that read the rows and write the JSON, without the plain objects, paths and promises in between. The
 * resolvers are the schema's own.
 * @returns undefined for what it does not cover: introspection, abstract types, directives, anything but a query
 */
export const compile = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | undefined => {
  const queryType = schema.getQueryType();
  if (operation.operation !== 'query' || !queryType || hasDirective(document)) return undefined;
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  let write: Writer;
  try {
    write = objectWriter(queryType, [operation.selectionSet], fragments);
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
  return {
    run: (variables, context) => {
      const output = new Output();
      write({}, { variables, context }, output);
      return output.finish();
    },
  };
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

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

const objectWriter = (
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
): Writer => {
  const fields = [...collectFields(selectionSets, fragments)].map(([key, nodes], index) =>
    compileField(type, `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, nodes, fragments),
  );
  return (value, run, output) => {
    const source = value as Record<string, unknown>;
    for (const { label, read, write } of fields) {
      output.text += label;
      const result = read(source, run);
      if (isPromise(result)) output.await(result.then((settled) => writeApart(write, settled, run)));
      else write(result, run, output);
    }
    output.text += '}';
  };
};

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

const writeApart = (write: Writer, value: unknown, run: Run): string | Promise<string> => {
  const output = new Output();
  write(value, run, output);
  return output.finish();
};

/** https://spec.graphql.org/draft/#CollectFields() for a selection without directives or abstract types */
const collectFields = (selectionSets: readonly SelectionSetNode[], fragments: Fragments): Map<string, FieldNode[]> => {
  const byKey = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = byKey.get(key);
        if (nodes) nodes.push(selection);
        else byKey.set(key, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        // Validation has seen to it that the type condition, if any, is this very type.
        collect(selection.selectionSet);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  return byKey;
};

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

  const readArgs = argsReader(field, node);
  // No resolver of ours reads the fourth parameter, which is costly to make.
  return { label, write, read: (source, run) => resolve(source, readArgs(run), run.context, undefined as never) };
};

/** https://spec.graphql.org/draft/#CoerceArgumentValues(), with all that does not depend on variables done once. */
const argsReader = (field: GraphQLField<unknown, unknown>, node: FieldNode): ((run: Run) => Args) => {
  const variables = new Map<string, string>();
  const constant: ArgumentNode[] = [];
  for (const argument of node.arguments ?? []) {
    if (argument.value.kind === Kind.VARIABLE) variables.set(argument.name.value, argument.value.name.value);
    else if (hasVariable(argument)) throw new NotCompiled();
    else constant.push(argument);
  }
  const optional = field.args.filter(({ name }) => !variables.has(name));
  const fixed = getArgumentValues(Object.assign(Object.create(field), { args: optional }), {
    ...node,
    arguments: constant,
  });
  if (variables.size === 0) return () => fixed;

  const readers = field.args.flatMap((argument) => {
    const variable = variables.get(argument.name);
    return variable === undefined
      ? []
      : [{ name: argument.name, variable, isNonNull: isNonNullType(argument.type), fallback: argument.defaultValue }];
  });
  return ({ variables: { coerced } }) => {
    const args = { ...fixed };
    for (const { name, variable, isNonNull, fallback } of readers) {
      const value = variable in coerced ? coerced[variable] : fallback;
      if (isNonNull && (value === null || value === undefined)) throw new NotCompiled();
      if (value !== undefined) args[name] = value;
    }
    return args;
  };
};

const hasVariable = (argument: ArgumentNode): boolean => {
  let found = false;
  visit(argument, {
    Variable: () => {
      found = true;
    },
  });
  return found;
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
      if (isPromise(item)) output.await(item.then((settled) => writeApart(write, settled, run)));
      else write(item, run, output);
    }
    output.text += ']';
  };
