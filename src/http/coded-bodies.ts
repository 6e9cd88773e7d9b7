import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Answer, bytesOf } from '../cache/answer.ts';
import { MIN_CODED_BYTES } from '../cache/answer-store.ts';

export type Coding = 'br' | 'gzip';

/** The body of an answer in a coding that the client takes, where there is one already; asking makes it come to be for those who ask later. */
export type CodedBodies = (
  answer: Answer,
  acceptEncoding: string | string[] | undefined,
) => { name: Coding; body: Buffer } | undefined;

/** Asked for once, a coding is not worth its making: most answers never are again before they change. */
const ASKS_BEFORE_CODING = 2;

const encode: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  gzip: promisify(gzip),
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

export const createCodedBodies = (): CodedBodies => {
  const asks = new WeakMap<Answer, number>();
  return (answer, acceptEncoding) => {
    if (acceptEncoding === undefined || answer.byteLength < MIN_CODED_BYTES) return undefined;
    const name = preferredCoding(String(acceptEncoding));
    if (!name) return undefined;
    const body = answer.coded[name];
    if (body) return { name, body };
    const count = (asks.get(answer) ?? 0) + 1;
    asks.set(answer, count);
    // On the thread pool; whoever asks meanwhile gets the plain body.
    if (count === ASKS_BEFORE_CODING) {
      void encode[name](bytesOf(answer.body)).then((coded) => {
        answer.coded[name] = coded;
        asks.delete(answer);
      });
    }
    return undefined;
  };
};

/** A coding that is listed, and not with a weight of zero: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
const listed = (coding: Coding): RegExp =>
  new RegExp(`(?:^|,)\\s*${coding}\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$))[^,]*)?(?:,|$)`, 'i');

const BR = listed('br');
const GZIP = listed('gzip');

const preferredCoding = (header: string): Coding | undefined =>
  BR.test(header) ? 'br' : GZIP.test(header) ? 'gzip' : undefined;
