import {
  type FieldNode,
  GraphQLBoolean,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
  type VariableValues,
} from 'graphql';
import { LateValue } from '../../cache/late-value.ts';
import type { OperationContext } from '../context.ts';

export type Args = Record<string, unknown>;

/** One run of a compiled operation. */
export interface Run {
  readonly variables: VariableValues;
  readonly context: OperationContext;
  /** Of fields whose arguments depend on variables. */
  readonly args: Map<FieldNode, Args>;
}

export type Writer = (value: unknown, run: Run, output: Output) => void;

/**
 * Thrown where the value of a field does not fit its type, or an argument has no value. Compiled operations only know how to succeed: the
 * reference executor then repeats every failure, and reports it as the specification says.
 */
export class NotCompiled extends Error {}

/** A gap in the text for a value that is still loading. */
interface Gap {
  readonly value: Promise<unknown>;
  readonly write: Writer;
}

/** JSON text in the making, with gaps for values that are still loading. */
export class Output {
  text = '';
  private pieces: (string | Gap)[] | undefined;

  /** Leaves a gap for a value; what is written next comes after it. */
  await(value: PromiseLike<unknown>, write: Writer): void {
    this.pieces ??= [];
    // A promise of another kind, as Prisma's, begins only once it is waited for.
    this.pieces.push(this.text, { value: Promise.resolve(value), write });
    this.text = '';
  }

  /** Ignores how the values that are still loading end, because no one will wait for them. */
  abandon(): void {
    for (const piece of this.pieces ?? []) if (typeof piece !== 'string') hold(piece.value);
  }

  /** The whole text, at once where there is no gap. */
  finish(run: Run): string | Promise<string> {
    return this.pieces === undefined ? this.text : fill(this.pieces, this.text, run);
  }
}

/** Whether a value is still loading: any thenable is, as Prisma's own promise. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/**
 * Sees to it that promises within a value that is not written yet, or never will be, can be rejected: Node ends a process where nobody waits for
 * a promise that is. Items of a list are alike, so that the first object of one tells of the others.
 */
export const hold = (value: unknown): void => {
  if (value instanceof Promise) value.then(hold).catch(() => {});
  else if (Array.isArray(value)) {
    const isOfObjects = holdsPromise(value[0]);
    for (const item of value as unknown[])
      if (isOfObjects || item instanceof Promise || Array.isArray(item)) hold(item);
  } else if (holdsPromise(value)) {
    for (const part of Object.values(value as object)) if (part instanceof Promise) hold(part);
  }
};

const holdsPromise = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).some((part) => part instanceof Promise);

/** The text that `toOutput` writes, at once where it leaves no gap. @throws what `toOutput` throws */
export const write = (run: Run, toOutput: (output: Output) => void): string | Promise<string> => {
  const output = new Output();
  try {
    toOutput(output);
  } catch (error) {
    output.abandon();
    throw error;
  }
  return output.finish(run);
};

/**
 * Waits for all values of one depth, each once however many gaps it fills, then writes them one after another: a promise for each gap costs more
 * than the writing.
 */
const fill = (pieces: readonly (string | Gap)[], rest: string, run: Run): Promise<string> => {
  const promises = new Set<Promise<unknown>>();
  for (const piece of pieces) if (typeof piece !== 'string') promises.add(piece.value);
  const writeAll = (resultOf: (gap: Gap) => unknown): string | Promise<string> =>
    write(run, (output) => {
      for (const piece of pieces) {
        if (typeof piece === 'string') output.text += piece;
        else piece.write(resultOf(piece), run, output);
      }
      output.text += rest;
    });
  const [first] = promises;
  if (first && promises.size === 1) return first.then((value) => writeAll(() => value));
  const waited = [...promises];
  // What is in a value that comes early waits for those that come late.
  const held = (value: unknown): unknown => {
    hold(value);
    return value;
  };
  return Promise.all(waited.map((promise) => promise.then(held))).then((values) => {
    const results = new Map(waited.map((promise, place) => [promise, values[place]]));
    return writeAll(({ value }) => results.get(value));
  });
};

/** The JSON text of one value. @throws what the type throws for a value that it cannot represent */
type LeafWriter = (value: unknown) => string;

const MAX_INT = 2 ** 31;

/**
 * Result coercion of a scalar or enum, straight to JSON: https://spec.graphql.org/draft/#sec-Scalars.Result-Coercion
 * Values as resolvers normally return them take a shortcut; all others are coerced by the type.
 */
export const leafWriter = (type: GraphQLLeafType): LeafWriter => {
  const coerced: LeafWriter = (value) => {
    // A value that is an error counts as thrown.
    if (value instanceof Error) throw new NotCompiled();
    const result = type.coerceOutputValue(value);
    const text = result === null ? undefined : JSON.stringify(result);
    // No value is an error, and what JSON cannot say leaves out its key.
    if (text === undefined) throw new NotCompiled();
    return text;
  };
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]));
    return (value) => texts.get(value) ?? coerced(value);
  }
  switch (type) {
    case GraphQLInt:
      return (value) =>
        typeof value === 'number' && Number.isInteger(value) && value < MAX_INT && value >= -MAX_INT
          ? `${value}`
          : coerced(value);
    case GraphQLString:
      return (value) => (typeof value === 'string' ? JSON.stringify(value) : coerced(value));
    case GraphQLBoolean:
      return (value) => (value === true ? 'true' : value === false ? 'false' : coerced(value));
    default:
      return (value) => (value instanceof LateValue ? value.text : coerced(value));
  }
};
