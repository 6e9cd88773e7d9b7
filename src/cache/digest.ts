import xxhash from 'xxhash-wasm';

const { h64, h64Raw, create64 } = await xxhash();

/** Short texts are hashed without a buffer of their own. */
const MAX_TEXT_CHARS = 4096;

/** The function keeps the memory of the longest bytes that it was given at once. */
const MAX_BYTES = 393_216;

/**
 * A short text that differs for different contents, the same for a text and for its bytes: 64 bits of XXH64 (https://xxhash.com). It is for contents that
 * nobody makes to collide.
 */
export const digestOf = (content: string | Buffer): string => hashOf(content).toString(36);

const hashOf = (content: string | Buffer): bigint => {
  if (typeof content === 'string')
    return content.length <= MAX_TEXT_CHARS ? h64(content) : hashOf(Buffer.from(content));
  if (content.byteLength <= MAX_BYTES) return h64Raw(content);
  const parts = create64();
  for (let start = 0; start < content.byteLength; start += MAX_BYTES) {
    parts.update(content.subarray(start, start + MAX_BYTES));
  }
  return parts.digest();
};
