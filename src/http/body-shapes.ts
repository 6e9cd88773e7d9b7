import { LRUCache } from 'lru-cache';
import { inOnePiece } from '../fast-path/own-memory.ts';

/**
 * The bodies of GraphQL requests but for their variables: what is left is the same in all requests that a client makes with one document. It is parsed
 * once, and a number stands for it in the keys of requests.
 */
export interface BodyShapes<Parsed> {
  /** Undefined for a body without variables, and for one whose shape is not known. */
  readonly split: (request: Splittable) => SplitBody<Parsed> | undefined;
  /** Notes the shape of a body, if it has one. Clients can make up any number: to be called where the request is worth it. */
  readonly learn: (request: Splittable) => void;
}

/** A request. */
export interface Splittable {
  readonly body: unknown;
  /** The body as it was split for the key of the request, so that it need not be split again to be parsed. */
  split?: SplitBody<unknown> | undefined;
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

/** A longer body is parsed as a whole, and its request is not cached. */
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
  let lastId = 0;

  return {
    split: (request) => {
      if (!request.split) {
        const parts = Buffer.isBuffer(request.body) ? partsOf(request.body) : undefined;
        const shape = parts && shapes.get(parts.key);
        request.split = shape && { shape, variables: parts.variables };
      }
      return request.split as SplitBody<Parsed> | undefined;
    },
    learn: ({ body, split }) => {
      if (split) return;
      const parts = Buffer.isBuffer(body) ? partsOf(body) : undefined;
      if (!parts || shapes.has(parts.key)) return;
      lastId += 1;
      const { key, before, after } = parts;
      const parsed = parse((variables) => Buffer.from(before + variables + after, 'latin1'));
      shapes.set(inOnePiece(key), { id: lastId, parsed });
    },
  };
};

interface Parts {
  readonly key: string;
  readonly before: string;
  readonly variables: string;
  readonly after: string;
}

/** Each character is a byte. */
const partsOf = (body: Buffer): Parts | undefined => {
  if (body.byteLength > MAX_BODY_BYTES) return undefined;
  const text = body.toString('latin1');
  const start = text.indexOf(NAME) + NAME.length;
  const end = start < NAME.length ? -1 : endOfObject(text, start);
  const after = text.slice(end);
  if (end < 0 || after === '') return undefined;
  const before = text.slice(0, start);
  // Where the variables were can be seen in both together. Most often nothing else follows, and the longer text need not be put together.
  const key = after === '}' ? before : before + after;
  return { key, before, variables: text.slice(start, end), after };
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
    else if (char === QUOTE) at = endOfString(text, at);
    if (depth === 0) return char === CLOSE ? at + 1 : -1;
  }
  return -1;
};

/** Where a JSON string ends whose first quote is here: its other quote, or the end of the text or behind. */
export const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
};
