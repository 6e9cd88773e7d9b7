import { ERROR_TABLE, type ErrorCode } from '../../errors.ts';
import type { JsonSchema } from './schemas.ts';

interface Problem {
  readonly description: string;
  readonly header?: { readonly name: string; readonly description: string };
  readonly detail: string;
  readonly parameter?: string;
}

const PROBLEMS = {
  BAD_USER_INPUT: {
    description: 'A parameter is not what it must be, or the request is not valid HTTP.',
    detail: 'Parameter "limit" must be a whole number, but is "ten".',
    parameter: 'limit',
  },
  UNAUTHENTICATED: {
    description: 'The gateway requires an access token, and the request has none that is valid.',
    header: { name: 'WWW-Authenticate', description: 'How to authenticate: RFC 6750.' },
    detail: 'This operation needs an access token: Authorization: Bearer <token>.',
  },
  NOT_FOUND: {
    description: 'No row that clients may see has this id.',
    detail: 'There is nothing with this id.',
  },
  METHOD_NOT_ALLOWED: {
    description: 'The path takes GET, HEAD and OPTIONS.',
    header: { name: 'Allow', description: 'The methods that the path takes.' },
    detail: 'This path takes GET, HEAD, OPTIONS.',
  },
  URI_TOO_LONG: {
    description: 'The request target is too long.',
    detail: 'A request target may have 8192 characters.',
  },
  TOO_MANY_REQUESTS: {
    description: 'The client sends too many requests.',
    detail: 'Too many requests. Try again later.',
  },
  HEADERS_TOO_LARGE: {
    description: 'The target and headers of the request are past 32 KiB together.',
    detail: 'The target and headers of a request may have 32768 bytes together.',
  },
  INTERNAL_SERVER_ERROR: {
    description: 'A fault of the gateway; its cause is in the log only.',
    detail: 'Something went wrong on our side.',
  },
  SERVICE_UNAVAILABLE: {
    description: 'The database is unavailable, or the gateway is overloaded.',
    header: { name: 'Retry-After', description: 'Seconds to wait before another try.' },
    detail: 'The database cannot answer at the moment. Try again shortly.',
  },
} as const satisfies Partial<Record<ErrorCode, Problem>>;

const CODES = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];

/** The `responses` of an operation that are errors. */
export const problemReferences = ({ canBeMissing }: { readonly canBeMissing: boolean }): JsonSchema =>
  Object.fromEntries(
    CODES.filter((code) => canBeMissing || code !== 'NOT_FOUND').map((code) => [
      ERROR_TABLE[code].status,
      { $ref: `#/components/responses/${code}` },
    ]),
  );

export const problemResponses = (): JsonSchema =>
  Object.fromEntries(
    CODES.map((code) => {
      const { description, header, detail, parameter }: Problem = PROBLEMS[code];
      const { status, title } = ERROR_TABLE[code];
      const headers = header && {
        [header.name]: { description: header.description, required: true, schema: { type: 'string' } },
      };
      return [
        code,
        {
          description,
          ...(headers ? { headers } : {}),
          content: {
            'application/problem+json': {
              schema: { $ref: '#/components/schemas/Problem' },
              example: {
                type: `urn:vitrine:error:${code}`,
                title,
                status,
                detail,
                code,
                ...(parameter ? { parameter } : {}),
              },
            },
          },
        },
      ];
    }),
  );

/** The body of every error: https://www.rfc-editor.org/rfc/rfc9457 */
export const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Problem details as in RFC 9457.',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Names the kind of error; the same for one `code`.' },
    title: { type: 'string', description: 'The kind of error in words.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    code: { type: 'string', description: 'The kind of error, for programs.', enum: CODES },
    parameter: { type: 'string', description: 'The parameter at fault, where one is.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};
