import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { GatewayResponse } from './message.ts';

type Headers = GatewayResponse['headers'];

/** Headers as they are on the wire, each line with its end. @throws TypeError for a header that cannot be one */
export const writeLines = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => {
      validateHeaderName(name);
      validateHeaderValue(name, String(value));
      return `${name}: ${value}\r\n`;
    })
    .join('');

const readLines = (lines: string): Headers =>
  Object.fromEntries(
    lines
      .slice(0, -2)
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );

/**
 * A response whose headers are lines already. To make an object of them, and have Node check and join them one by one, costs an eighth of what it
 * takes to answer from memory. Whoever wants the object gets it.
 */
export class WrittenResponse implements GatewayResponse {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly encoding = 'latin1';
  readonly lines: string;
  #headers: Headers | undefined;

  constructor(lines: string, body: string | Uint8Array, status = 200) {
    this.status = status;
    this.lines = lines;
    this.body = body;
  }

  get headers(): Headers {
    this.#headers ??= readLines(this.lines);
    return this.#headers;
  }
}
