import { LRUCache } from 'lru-cache';
import { createSightings } from '../cache/sightings.ts';
import { inOnePiece } from '../fast-path/own-memory.ts';

/**
 * The bodies of GraphQL requests but for their variables: what is left is the same in all requests that a client makes with one document. It is parsed
 * once, and a number stands for it in the keys of requests.
 */
export interface BodyShapes<Parsed> {
  /** Undefined for a body without variables, and for one of a shape that comes for the first time. */
  readonly split: (body: Buffer) => SplitBody<Parsed> | undefined;
}

export interface SplitBody<Parsed> {
  readonly shape: BodyShape<Parsed>;
  /** JSON, one character for each byte. */
  readonly variables: string;
}

interface BodyShape<Parsed> {
  readonly id: number;
  readonly parsed: Parsed;
}

/** The body of a shape with these variables. */
export type FillShape = (variables: string) => Buffer;

/** A longer body is no more than its bytes to the request cache either. */
export const MAX_BODY_BYTES = 8192;

/** Of the shapes that are known: some thousands. */
const MAX_BYTES = 1_048_576;
const ENTRY_OVERHEAD_BYTES = 400;

/** In JSON a quote within a text is escaped, so this is the name of a member. */
const NAME = '"variables":';

export const createBodyShapes = <Parsed>(parse: (fill: FillShape) => Parsed): BodyShapes<Parsed> => {
  const shapes = new LRUCache<string, BodyShape<Parsed>>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, text) => text.length + ENTRY_OVERHEAD_BYTES,
  });
  const sightings = createSightings();
  let lastId = 0;
  /** A body is split for its key, and once more to be parsed. */
  let last: { readonly body: Buffer; readonly split: SplitBody<Parsed> | undefined } | undefined;

  const split = (body: Buffer): SplitBody<Parsed> | undefined => {
    if (body.byteLength > MAX_BODY_BYTES) return undefined;
    const text = body.toString('latin1');
    const start = text.indexOf(NAME) + NAME.length;
    const end = start < NAME.length ? -1 : endOfObject(text, start);
    const after = text.slice(end);
    if (end < 0 || after === '') return undefined;
    const before = text.slice(0, start);
    // Where the variables were can be seen in both together. Most often nothing else follows, and the longer text need not be put together.
    const key = after === '}' ? before : before + after;
    let shape = shapes.get(key);
    if (!shape) {
      if (!sightings.see(key)) return undefined;
      lastId += 1;
      shape = { id: lastId, parsed: parse((variables) => Buffer.from(before + variables + after, 'latin1')) };
      shapes.set(inOnePiece(key), shape);
    }
    return { shape, variables: text.slice(start, end) };
  };

  return {
    split: (body) => {
      if (last?.body !== body) last = { body, split: split(body) };
      return last.split;
    },
  };
};

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** Where a JSON object ends that begins here; -1 for anything else. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === OPEN) depth += 1;
    else if (char === CLOSE) depth -= 1;
    else if (char === QUOTE) {
      at += 1;
      while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    }
    if (depth === 0) return char === CLOSE ? at + 1 : -1;
  }
  return -1;
};
