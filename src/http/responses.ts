import { type AppError, ERROR_TABLE } from '../errors.ts';
import type { GatewayRequest, GatewayResponse } from './message.ts';

interface JsonOptions {
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON answer; `cacheControl` defaults to `no-store`. */
export const jsonResponse = (
  status: number,
  value: unknown,
  { contentType = 'application/json; charset=utf-8', cacheControl = 'no-store', headers = {} }: JsonOptions = {},
): GatewayResponse => ({
  status,
  headers: { 'content-type': contentType, 'cache-control': cacheControl, ...headers },
  body: JSON.stringify(value),
});

/** An answer that belongs to its request alone. */
export const ownResponse = (
  { target }: Pick<GatewayRequest, 'target'>,
  contentType: string,
  body: string,
  encoding: 'utf8' | 'latin1',
): GatewayResponse => ({
  status: 200,
  headers: {
    'content-type': contentType,
    'cache-control': 'no-store',
    ...(target.startsWith('/graphql') ? { vary: 'accept' } : {}),
  },
  body,
  encoding,
});

/** Problem details for an HTTP API: https://www.rfc-editor.org/rfc/rfc9457 */
export const problemResponse = ({ code, message, argument, headers }: AppError): GatewayResponse => {
  const { status, title } = ERROR_TABLE[code];
  const problem = { type: `urn:vitrine:error:${code}`, title, status, detail: message, code };
  return jsonResponse(status, argument ? { ...problem, parameter: argument } : problem, {
    contentType: 'application/problem+json; charset=utf-8',
    headers,
  });
};
