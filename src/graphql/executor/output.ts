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

/** JSON, at once where nothing in it is still loading. */
export type Text = string | Promise<string>;

export type Writer = (value: unknown, run: Run) => Text;

/**
 * Thrown where the value of a field does not fit its type, or an argument has no value. Compiled operations only know how to succeed: the
 * reference executor then repeats every failure, and reports it as the specification says.
 */
export class NotCompiled extends Error {}

/** Whether a value is still loading: any thenable is, as Prisma's own promise. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** The text of an object or a list in the making, of which parts may be loading or have failed. */
export class Output {
  #text: string;
  #parts: Text[] | undefined;

  constructor(start: string) {
    this.#text = start;
  }

  add(text: Text): void {
    if (typeof text === 'string') this.#text += text;
    else {
      this.#parts ??= [];
      this.#parts.push(this.#text, text);
      this.#text = '';
    }
  }

  finish(end: string): Text {
    const rest = this.#text + end;
    const parts = this.#parts;
    if (parts === undefined) return rest;
    const [start, part] = parts;
    // Most objects wait for one value at most.
    if (parts.length === 2) return (part as Promise<string>).then((text) => start + text + rest);
    return Promise.all(parts).then((all) => all.join('') + rest);
  }
}

/** The text of a value that may be loading. What fails is a promise, too: others go on, because Node ends a process where nobody waits for theirs. */
export const writeLoaded = (value: unknown, write: Writer, run: Run): Text => {
  try {
    // A promise of another kind, as Prisma's, begins only once it is waited for.
    return isPromise(value) ? Promise.resolve(value).then((loaded) => write(loaded, run)) : write(value, run);
  } catch (error) {
    return Promise.reject(error);
  }
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
