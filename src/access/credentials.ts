/** The token of `Authorization: Bearer`: https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** The password of `Authorization: Basic`, which is how a browser can send a token: https://www.rfc-editor.org/rfc/rfc7617 */
export const basicPassword = (authorization: string | undefined): string | undefined => {
  const credentials = /^Basic +([\w+/]+=*) *$/i.exec(authorization ?? '')?.[1];
  if (credentials === undefined) return undefined;
  const [, password] = /^[^:]*:(.+)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  return password;
};
