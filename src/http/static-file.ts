import type { GatewayRequest, GatewayResponse } from './message.ts';

/** A file in memory, in every content coding that it is kept in. */
export interface StaticFile {
  readonly contentType: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly bodies: { readonly identity: Uint8Array; readonly gzip?: Uint8Array; readonly br?: Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
}

/** The file in the best coding that the client takes, or 304 where it has it already. */
export const serveFile = ({ headers }: GatewayRequest, file: StaticFile): GatewayResponse => {
  const common = { etag: file.etag, 'cache-control': file.cacheControl, vary: 'accept-encoding', ...file.headers };
  if (matchesEtag(headers['if-none-match'], file.etag)) return { status: 304, headers: common, body: null };

  const accepted = acceptedCodings(headers['accept-encoding']);
  for (const coding of ['br', 'gzip'] as const) {
    const body = file.bodies[coding];
    if (!body || !accepted.has(coding)) continue;
    return { status: 200, headers: { ...common, 'content-type': file.contentType, 'content-encoding': coding }, body };
  }
  return { status: 200, headers: { ...common, 'content-type': file.contentType }, body: file.bodies.identity };
};

/** Weak comparison: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return ifNoneMatch.split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === opaque);
};

const acceptedCodings = (header: string | string[] | undefined): Set<string> => {
  const items = String(header ?? '')
    .toLowerCase()
    .split(',');
  return new Set(
    items.flatMap((item) => {
      const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [coding];
    }),
  );
};
