import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';

// uri-host [":" port]: https://www.rfc-editor.org/rfc/rfc9110#section-7.2
const AUTHORITY = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

const fault = (message: string): AppError => new AppError('BAD_USER_INPUT', message);

/**
 * What Node lets through and is no request of HTTP/1: another version, and no host, several, or one that can be none
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). Nothing else is ever done with the host: no answer, key or link depends on
 * what a client says of it.
 */
export const requestFault = ({ headers: { host }, httpVersion }: IncomingMessage): AppError | undefined => {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return fault('The request is not HTTP/1.1 or HTTP/1.0.');
  if (host === undefined) return httpVersion === '1.1' ? fault('The request names no host.') : undefined;
  return AUTHORITY.test(host) ? undefined : fault('The request names no valid host.');
};
