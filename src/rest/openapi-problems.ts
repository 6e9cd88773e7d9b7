import { ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { JsonSchema } from './openapi-schema.ts';

/** The errors of every path, with the header that each one carries. */
const HEADERS = {
  BAD_USER_INPUT: undefined,
  UNAUTHENTICATED: { name: 'WWW-Authenticate', description: 'How to authenticate: RFC 6750.' },
  NOT_FOUND: undefined,
  METHOD_NOT_ALLOWED: { name: 'Allow', description: 'The methods that the path takes.' },
  URI_TOO_LONG: undefined,
  TOO_MANY_REQUESTS: undefined,
  HEADERS_TOO_LARGE: undefined,
  INTERNAL_SERVER_ERROR: undefined,
  SERVICE_UNAVAILABLE: { name: 'Retry-After', description: 'Seconds to wait before another try.' },
} as const satisfies Partial<Record<ErrorCode, { name: string; description: string } | undefined>>;

const CODES = Object.keys(HEADERS) as (keyof typeof HEADERS)[];

/** The `responses` of an operation that are errors. */
export const problemReferences = ({ canBeMissing }: { readonly canBeMissing: boolean }): JsonSchema =>
  Object.fromEntries(
    CODES.filter((code) => canBeMissing || code !== 'NOT_FOUND').map((code) => [
      ERROR_TABLE[code].status,
      { $ref: `#/components/responses/${code}` },
    ]),
  );

/** `components.responses`, by code. */
export const problemResponses = (): JsonSchema =>
  Object.fromEntries(
    CODES.map((code) => {
      const header = HEADERS[code];
      const { title } = ERROR_TABLE[code];
      const headers = header && {
        [header.name]: { description: header.description, required: true, schema: { type: 'string' } },
      };
      return [
        code,
        {
          description: `${title}.`,
          ...(headers ? { headers } : {}),
          content: {
            'application/problem+json': {
              schema: { $ref: '#/components/schemas/Problem' },
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
