import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayResponse } from '../http/message.ts';
import type { Access } from './access.ts';

/** Who may see a resource that is no operation: everybody, nobody, or who has an access token. */
export type Exposure = 'on' | 'off' | 'token';

type Respond = () => GatewayResponse | Promise<GatewayResponse>;

/**
 * What answers for a resource that is so exposed; undefined where it is switched off.
 * @throws (the function returned, in its promise) AppError UNAUTHENTICATED
 */
export type Gate = (exposure: Exposure, headers: IncomingHttpHeaders, respond: Respond) => Respond | undefined;

export const createGate =
  (access: Access): Gate =>
  (exposure, headers, respond) => {
    if (exposure === 'off') return undefined;
    if (exposure === 'on') return respond;
    return async () => {
      await access.admitToPage(headers);
      return asPrivate(await respond());
    };
  };

/** No shared cache may hand on what wanted a token. */
const asPrivate = (response: GatewayResponse): GatewayResponse => {
  const { headers } = response;
  const { 'cache-control': cacheControl = 'no-store', vary } = headers;
  headers['cache-control'] = String(cacheControl).replace(/\bpublic\b/, 'private');
  headers.vary = vary ? `${vary}, authorization` : 'authorization';
  return response;
};
