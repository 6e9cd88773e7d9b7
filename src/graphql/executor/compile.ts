import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  print,
  type VariableValues,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { type RowShape, StoredRow } from '../../database/stored-row.ts';
import { objectFieldsOf } from '../arguments.ts';
import type { OperationContext } from '../context.ts';
import { collectFields, type Fragments, fragmentsOf, type MergedField, type Parent, rootOf } from '../selection.ts';
import { type ColumnJson, columnJsonOf } from './columns.ts';
import { isPromise, keptWriter, knownFieldWriter, listWriter } from './kept-writers.ts';
import { NotCompiled, type Run, type Writer, write as writeText } from './output.ts';
import { argsReader, leafWriter, variablesOf } from './values.ts';

/** One operation, compiled for one schema. */
export interface CompiledOperation {
  /** The JSON text of `data`. @throws any error: the reference executor then reports it */
  readonly run: (variables: VariableValues, context: OperationContext) => string | Promise<string>;
}

interface Compiled {
  readonly write: Writer;
  /** What is selected below, with aliases and arguments, in one form for all documents. Empty for a leaf. */
  readonly selection: string;
  /** Whether what is written depends on the row, and on rows that it refers to, alone. */
  readonly isOfRow: boolean;
  /** The tables of the rows that it refers to. */
  readonly refersTo: ReadonlySet<string>;
  /** Those in its arguments. */
  readonly variables: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

const union = (parts: readonly Compiled[], of: 'refersTo' | 'variables'): ReadonlySet<string> =>
  new Set(parts.flatMap((part) => [...part[of]]));

interface CompiledField extends Compiled {
  /** `"key":` */
  readonly label: string;
  /** The column that it shows as it is, where it does. */
  readonly column: ShownColumn | undefined;
  /** Whether what is written of its value depends on that row alone. */
  readonly isOfValue: boolean;
  readonly read: (source: Record<string, unknown>, run: Run) => unknown;
}

interface ShownColumn extends ColumnJson {
  readonly name: string;
  readonly isNullable: boolean;
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
  let compiled: CompiledRoot;
  try {
    compiled = compileRoot(rootType, rootOf(operation), fragmentsOf(document));
  } catch (error) {
    if (error instanceof NotCompiled) return undefined;
    throw error;
  }
  const { write, refersTo, isKnowable } = compiled;
  return {
    run: (variables, context) => {
      const lastChange = lastChangeOf(refersTo, context);
      const fields = isKnowable ? context.knownFields?.begin(context.hints, context.now) : undefined;
      const run = { variables, context, lastChange, fields };
      return writeText(run, (output) => write({}, run, output));
    },
  };
};

/** Taken before anything is read, so that what is read later is not older. Where their texts are found, no loader says that the response depends on them. */
const lastChangeOf = (
  refersTo: ReadonlySet<string>,
  { hints, lastChangeOf: ofTable }: OperationContext,
): number | undefined => {
  if (!ofTable) return undefined;
  let last = 0;
  for (const table of refersTo) {
    hints.dependsOn(table);
    last = Math.max(last, ofTable(table));
  }
  return last;
};

/**
 * Notes which resolvers take the fourth parameter, `info`: an operation that selects such a field is not compiled. And which take the row alone: what
 * is written of them can be kept with the row. It has to see the resolvers as they were written, before others are wrapped around them.
 * @throws Error for a field that the Prisma plugin reads
 */
export const noteParameters = (schema: GraphQLSchema): GraphQLSchema => {
  for (const { field, coordinate } of objectFieldsOf(schema)) {
    if (field.extensions.pothosPrismaSelect) {
      throw new Error(
        `${coordinate} is read by the Prisma plugin (t.relation or "select"), so that no cached response would depend on the rows. ` +
          'Resolve the field by a loader: t.field({ resolve: (row, args, { loaders }) => … }).',
      );
    }
    const parameters = field.resolve?.length ?? 0;
    if (parameters > 3) field.extensions = { ...field.extensions, readsInfo: true };
    if (parameters < 2 && field.args.length === 0) field.extensions = { ...field.extensions, readsRowAlone: true };
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

interface CompiledRoot extends Pick<Compiled, 'write' | 'refersTo'> {
  /** Whether the texts of some fields may be known. */
  readonly isKnowable: boolean;
}

const compileRoot = (type: GraphQLObjectType, parents: readonly Parent[], fragments: Fragments): CompiledRoot => {
  const fields = compileFields(type, parents, fragments);
  return {
    refersTo: union(fields, 'refersTo'),
    isKnowable: fields.some(({ isOfValue }) => !isOfValue),
    write: writeObject(
      fields.map((field) =>
        sharedWriter(type, field.selection, () => {
          const write = fieldsWriter([field]);
          // The text of a row alone is kept with the row.
          return field.isOfValue ? write : knownFieldWriter(field, write);
        }),
      ),
    ),
  };
};

const compileObject = (type: GraphQLObjectType, parents: readonly Parent[], fragments: Fragments): Compiled => {
  const fields = compileFields(type, parents, fragments);
  const selection = `{${fields.map((field) => field.selection).join('')}}`;
  return {
    selection,
    isOfRow: fields.every(({ isOfRow }) => isOfRow),
    refersTo: union(fields, 'refersTo'),
    variables: union(fields, 'variables'),
    write: sharedWriter(type, selection, () => writeObject(partsOf(type, fields))),
  };
};

/** Of selections: what is compiled of one takes up to 90 bytes a character (measured). */
const MAX_SHARED_CHARS = 65_536;

const sharedWriters = new LRUCache<string, { readonly type: GraphQLObjectType; readonly write: Writer }>({
  maxSize: MAX_SHARED_CHARS,
  sizeCalculation: (_, key) => key.length,
});

/** What is selected of a type decides what is written: documents that select the same share the writer, with its compiled code. */
const sharedWriter = (type: GraphQLObjectType, selection: string, make: () => Writer): Writer => {
  const key = `${type.name} ${selection}`;
  const known = sharedWriters.get(key);
  // Each schema has types of its own.
  if (known?.type === type) return known.write;
  const write = make();
  sharedWriters.set(key, { type, write });
  return write;
};

const compileFields = (type: GraphQLObjectType, parents: readonly Parent[], fragments: Fragments): CompiledField[] =>
  [...collectFields(parents, fragments)].map(([key, selections], index) =>
    compileField(type, `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`, selections, fragments),
  );

const writeObject =
  (parts: readonly Writer[]): Writer =>
  (value, run, output) => {
    // A value that is an error counts as thrown: a list of a DataLoader may hold some.
    if (value instanceof Error) throw new NotCompiled();
    for (const writePart of parts) writePart(value, run, output);
    output.text += '}';
  };

/** Fields that depend on the row, and on rows that it refers to, are written together: of a row that is known, their text is kept. */
const partsOf = (type: GraphQLObjectType, fields: readonly CompiledField[]): Writer[] => {
  const parts: Writer[] = [];
  for (let start = 0; start < fields.length; ) {
    const isOfRow = fields[start]?.isOfRow;
    let end = start + 1;
    while (end < fields.length && fields[end]?.isOfRow === isOfRow) end += 1;
    const part = fields.slice(start, end);
    const write = fieldsWriter(part);
    const key = `${type.name} ${part.map(({ selection }) => selection).join('')}`;
    parts.push(isOfRow ? keptWriter(key, union(part, 'refersTo').size > 0, write) : write);
    start = end;
  }
  return parts;
};

const fieldsWriter = (fields: readonly CompiledField[]): Writer => {
  const indexesFor = columnFinder(fields);
  return (value, run, output) => {
    const source = value as Record<string, unknown>;
    const stored = value instanceof StoredRow ? value : undefined;
    const indexes = stored && indexesFor(stored.shape);
    for (let at = 0; at < fields.length; at += 1) {
      const { label, column, read, write } = fields[at] as CompiledField;
      output.text += label;
      const index = indexes?.[at] ?? -1;
      if (index >= 0 && stored && column) {
        const text = stored.text.column(index);
        const json = text === null ? (column.isNullable ? 'null' : undefined) : column.toJson(text);
        if (json !== undefined) {
          output.text += json;
          continue;
        }
      }
      const result = read(source, run);
      if (isPromise(result)) output.await(result, write);
      else write(result, run, output);
    }
  };
};

/** Finds where in a row the columns of fields stand: -1 for a field that is read by its resolver. */
const columnFinder = (fields: readonly CompiledField[]): ((shape: RowShape) => readonly number[]) => {
  const known = new WeakMap<RowShape, readonly number[]>();
  return (shape) => {
    let indexes = known.get(shape);
    if (!indexes) {
      indexes = fields.map(({ column }) => {
        const found = column && shape.columns.get(column.name);
        return found && column.isFor(found.typeOid) ? found.index : -1;
      });
      known.set(shape, indexes);
    }
    return indexes;
  };
};

const compileField = (
  parent: GraphQLObjectType,
  label: string,
  selections: MergedField,
  fragments: Fragments,
): CompiledField => {
  const [{ node }] = selections;
  const name = node.name.value;
  if (name === '__typename') {
    const text = JSON.stringify(parent.name);
    return {
      label,
      column: undefined,
      selection: `${label}${text}`,
      isOfRow: true,
      isOfValue: true,
      refersTo: NOTHING,
      variables: NOTHING,
      read: () => null,
      write: (_, __, output) => (output.text += text),
    };
  }
  const field = parent.getFields()[name];
  // Introspection's root fields belong to no type.
  if (!field || field.extensions.readsInfo) throw new NotCompiled();
  const { write, ...value } = compileValue(field.type, selections, fragments);
  const table = field.extensions.refersTo as string | undefined;
  const isOfRow = (field.extensions.readsRowAlone === true || table !== undefined) && value.isOfRow;
  const compiled = {
    label,
    column: isOfRow ? shownColumnOf(field) : undefined,
    selection: `${label}${name}(${node.arguments?.map(print).join() ?? ''})${value.selection}`,
    isOfRow,
    isOfValue: value.isOfRow,
    refersTo: table === undefined ? value.refersTo : new Set([...value.refersTo, table]),
    variables: new Set([...value.variables, ...variablesOf(node)]),
    write,
  };
  const { resolve } = field;
  if (!resolve) return { ...compiled, read: (source) => source[name] };
  const readArgs = argsReader(field, node);
  // The fourth parameter is costly to make, and almost no resolver reads it.
  return {
    ...compiled,
    read: (source, run) => resolve(source, readArgs(run.variables), run.context, undefined as never),
  };
};

/** Pothos notes it for `t.expose…`. */
const shownColumnOf = ({ type, extensions }: GraphQLField<unknown, unknown>): ShownColumn | undefined => {
  const { pothosExposedField: name } = extensions;
  const json = typeof name === 'string' ? columnJsonOf(type) : undefined;
  return json && { ...json, name: name as string, isNullable: !isNonNullType(type) };
};

const compileValue = (type: GraphQLOutputType, selections: MergedField, fragments: Fragments): Compiled => {
  if (!isNonNullType(type)) {
    const { write, ...rest } = compileNonNull(type, selections, fragments);
    return {
      ...rest,
      write: (value, run, output) => {
        if (value === null || value === undefined) output.text += 'null';
        else write(value, run, output);
      },
    };
  }
  const { write, ...rest } = compileNonNull(type.ofType, selections, fragments);
  return {
    ...rest,
    write: (value, run, output) => {
      if (value === null || value === undefined) throw new NotCompiled();
      write(value, run, output);
    },
  };
};

const compileNonNull = (type: GraphQLOutputType, selections: MergedField, fragments: Fragments): Compiled => {
  if (isListType(type)) {
    const { write, ...item } = compileValue(type.ofType, selections, fragments);
    // A list of rows counts them (limits/list-size.ts).
    const isOfLeaves = isLeafType(getNullableType(type.ofType));
    const areOfRows = item.isOfRow && !isOfLeaves;
    return {
      ...item,
      write: listWriter(write, areOfRows ? { key: item.selection, refers: item.refersTo.size > 0 } : undefined),
      isOfRow: item.isOfRow && isOfLeaves,
    };
  }
  if (isObjectType(type)) return compileObject(type, selections, fragments);
  if (!isLeafType(type)) throw new NotCompiled();
  const toJson = leafWriter(type);
  return {
    selection: '',
    isOfRow: true,
    refersTo: NOTHING,
    variables: NOTHING,
    write: (value, _, output) => {
      output.text += toJson(value);
    },
  };
};
