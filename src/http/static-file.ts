import fresh from 'fresh';
import { preferredEncoding } from './content-encodings.ts';
import type { GatewayRequest, GatewayResponse } from './message.ts';

/** A file in memory, in its content encodings. */
export interface StaticFile {
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly bodies: { readonly identity: Uint8Array; readonly gzip?: Uint8Array; readonly br?: Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
}

/** The file in the best encoding that the client accepts, or 304 where the client has it already. */
export const serveFile = ({ headers }: GatewayRequest, file: StaticFile): GatewayResponse => {
  const common = { etag: file.etag, 'cache-control': file.cacheControl, vary: 'accept-encoding', ...file.headers };
  if (matchesEtag(headers['if-none-match'], file.etag)) return { status: 304, headers: common, body: null };

  const contentEncoding = preferredEncoding(String(headers['accept-encoding'] ?? ''));
  const encoded = contentEncoding && file.bodies[contentEncoding];
  if (encoded) {
    return {
      status: 200,
      headers: { ...common, 'content-type': file.contentType, 'content-encoding': contentEncoding },
      body: encoded,
    };
  }
  return { status: 200, headers: { ...common, 'content-type': file.contentType }, body: file.bodies.identity };
};

/** Weak comparison: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  fresh({ 'if-none-match': ifNoneMatch }, { etag });
