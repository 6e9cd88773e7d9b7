/**
 * A text in one piece, with no other behind it: V8 keeps one that was put together as a tree of its parts, and one that was cut out with the whole. That is
 * 2 kB more for the JSON of a product of 800 characters, and each response that it is in would walk through the tree.
 */
export const inOnePiece = (text: string): string => Buffer.from(text).toString();

/**
 * The same for a text that was put together and not cut out, for less: its tree goes once a character of it is read. Collections of garbage have no parts
 * to copy, and a response that the text is in has none to walk through.
 */
export const joined = (text: string): string => (text.charCodeAt(0) === NEVER_FIRST ? '' : text);

/** No JSON and no header begins so: the comparison has no effect, but optimized code leaves out what nobody uses. */
const NEVER_FIRST = 0;

/** What the characters of a text take in V8's heap: a byte each where all of them are of Latin-1, else two. */
export const heapBytesOf = (text: string): number =>
  Buffer.byteLength(text) > text.length && BEYOND_LATIN1.test(text) ? text.length * 2 : text.length;

const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/**
 * Bytes that are kept: Node cuts small buffers, and those of zlib, out of blocks of 64 kB, each of which stays for as long as one of its parts.
 * @param bytes a string has one character for each
 */
export const ownBytesOf = (bytes: string | Buffer): Buffer => {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  if (typeof bytes === 'string') own.write(bytes, 'latin1');
  else bytes.copy(own);
  return own;
};
