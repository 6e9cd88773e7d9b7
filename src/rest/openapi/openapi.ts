import { hash } from 'node:crypto';
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from 'graphql';
import packageJson from '../../../package.json' with { type: 'json' };
import { isPublicField } from '../../access/access.ts';
import { bearerChallenge } from '../../access/tokens.ts';
import { AppError, databaseUnavailable, ERROR_TABLE, type ErrorCode } from '../../errors.ts';
import { rangeOf } from '../../graphql/arguments.ts';
import { lateKeyOf } from '../../graphql/late-values.ts';
import type { StaticFile } from '../../http/content-encodings.ts';
import { JSON_TYPE, MAX_HEADER_BYTES, MAX_TARGET_CHARS, problemText } from '../../http/message.ts';
import type { RestOperation } from '../documents.ts';
import { badParameter, LANGUAGE_PARAMETER } from '../parameters.ts';
import { createResultSchemas, described, describeLeaf, type JsonSchema, leafSchema } from './schemas.ts';

interface Offer {
  readonly isRestricted: boolean;
  /** BCP 47; none: no path has a parameter for it. */
  readonly languages: readonly string[];
}

/** OpenAPI 3.1 of the REST paths, derived from their documents and the schema: https://spec.openapis.org/oas/v3.1.1.html */
export const createOpenapi = (
  operations: readonly RestOperation[],
  schema: GraphQLSchema,
  offer?: Offer,
): StaticFile => {
  const identity = new TextEncoder().encode(JSON.stringify(openapiDocument(operations, schema, offer)));
  return {
    contentType: JSON_TYPE,
    etag: `"${hash('sha256', identity, 'base64url').slice(0, 22)}"`,
    cacheControl: 'no-cache',
    bodies: { identity },
  };
};

const DESCRIPTION = `${packageJson.description}

Every path answers HEAD as it answers GET. An empty parameter is the same as an absent one, and one that the path does not
know is ignored. Names of enum values are taken in any case.`;

export const openapiDocument = (
  operations: readonly RestOperation[],
  schema: GraphQLSchema,
  { isRestricted, languages }: Offer = { isRestricted: false, languages: [] },
): JsonSchema => {
  const schemas = createResultSchemas(schema);
  const tags = new Map<string, JsonSchema>();

  const operationObject = (restOperation: RestOperation): JsonSchema => {
    const { id, route } = restOperation;
    const { field, isCertain, schema: result } = schemas.resultOf(restOperation);
    const isLate = lateKeyOf(field) !== undefined;

    const tag = route.path.split('/')[2] ?? '';
    if (!tags.has(tag)) tags.set(tag, { name: tag, ...described(getNamedType(field.type).description) });

    return {
      operationId: id,
      summary: route.summary,
      ...described(field.description),
      tags: [tag],
      ...(isRestricted && isPublicField(field.name) ? { security: [] } : {}),
      parameters: [...parameterObjects(restOperation), ...languageParameter(languages)],
      responses: {
        200: {
          description: route.summary,
          content: { 'application/json': { schema: result } },
        },
        ...(isLate ? {} : { 304: { $ref: '#/components/responses/NotModified' } }),
        ...problemReferences(!isNonNullType(field.type) || !isCertain),
      },
    };
  };

  const paths = Object.fromEntries(operations.map((each) => [each.route.path, { get: operationObject(each) }]));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Vitrine',
      version: packageJson.version,
      description: DESCRIPTION,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    // Relative to this document: a proxy may strip a prefix.
    servers: [{ url: '.' }],
    // Readers show a padlock at whatever has a requirement, even at one that is optional.
    security: isRestricted ? [{ accessToken: [] }] : [],
    tags: [...tags.values()],
    paths,
    components: {
      schemas: { ...schemas.components(), Problem: PROBLEM },
      responses: {
        NotModified: { description: 'The response is still the one that `If-None-Match` names.' },
        ...PROBLEM_RESPONSES,
      },
      ...(isRestricted ? { securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
};

const problem = (code: ErrorCode, detail: string, headers: AppError['headers'] = {}): AppError =>
  new AppError(code, detail, { headers });

/** The errors that paths may answer with, each by an example, as the one that throws it has it. */
const PROBLEMS: readonly AppError[] = [
  badParameter('limit', 'must be a whole number, but is "ten"'),
  bearerChallenge('missing'),
  problem('NOT_FOUND', 'There is nothing with this id.'),
  problem('METHOD_NOT_ALLOWED', 'This path takes GET, HEAD, OPTIONS.', { allow: 'GET, HEAD, OPTIONS' }),
  problem('URI_TOO_LONG', `A request target may have at most ${MAX_TARGET_CHARS} characters.`),
  problem('TOO_MANY_REQUESTS', 'A client may ask at most 600 times a minute.', { 'retry-after': '60' }),
  problem(
    'HEADERS_TOO_LARGE',
    `The target and headers of a request may have at most ${MAX_HEADER_BYTES} bytes together.`,
  ),
  problem('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.'),
  databaseUnavailable(),
];

/** The headers that errors have. */
const PROBLEM_HEADERS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  'www-authenticate': ['WWW-Authenticate', 'How to authenticate: RFC 6750.'],
  allow: ['Allow', 'The methods that the path takes.'],
  'retry-after': ['Retry-After', 'Seconds to wait before another try.'],
};

/** The `responses` of an operation that are errors. */
const problemReferences = (canBeMissing: boolean): JsonSchema =>
  Object.fromEntries(
    PROBLEMS.filter(({ code }) => canBeMissing || code !== 'NOT_FOUND').map(({ code, status }) => [
      status,
      { $ref: `#/components/responses/${code}` },
    ]),
  );

const PROBLEM_RESPONSES: JsonSchema = Object.fromEntries(
  PROBLEMS.map((error) => {
    const headers = Object.entries(error.headers).map(([key, example]) => {
      const [name = key, about = ''] = PROBLEM_HEADERS[key] ?? [];
      return [name, { description: about, schema: { type: 'string' }, example, required: true }];
    });
    const content = { schema: { $ref: '#/components/schemas/Problem' }, example: JSON.parse(problemText(error)) };
    return [
      error.code,
      {
        description: ERROR_TABLE[error.code].title,
        headers: Object.fromEntries(headers),
        content: { 'application/problem+json': content },
      },
    ];
  }),
);

/** The body of every error: https://www.rfc-editor.org/rfc/rfc9457 */
const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Problem details as in RFC 9457.',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Names the kind of error; the same for one `code`.' },
    title: { type: 'string', description: 'The kind of error in words.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    code: { type: 'string', description: 'The kind of error, for programs.', enum: PROBLEMS.map(({ code }) => code) },
    parameter: { type: 'string', description: 'The parameter at fault, where one is.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};

/** Values of arguments by their schema coordinate: with them the demo catalogue has results. */
const SAMPLE_ARGUMENTS: Readonly<Record<string, unknown>> = {
  'Query.product(id:)': 1,
  'Query.products(categoryIds:)': [4, 5],
  'Query.products(orderBy:)': 'PRICE_ASC',
  'Query.noticePage(keyword:)': 'linen',
  'Query.noticePage(type:)': 'PROMOTION',
  'Query.notice(id:)': 2,
};

/** The Parameter Objects of a path: each variable of its document, described by the argument that has its value. */
const parameterObjects = ({ route, parameters }: RestOperation): JsonSchema[] =>
  parameters.map(({ name, type, isRequired, defaultValue, arguments: args }) => {
    const isInPath = route.path.includes(`{${name}}`);
    const argument = args.at(-1);
    const nullable = getNullableType(type);
    const example = SAMPLE_ARGUMENTS[String(argument)];
    return {
      name,
      in: isInPath ? 'path' : 'query',
      required: isInPath || isRequired,
      ...described(
        argument?.description ??
          (isLeafType(nullable) ? describeLeaf(nullable) : undefined) ??
          (isInPath ? PATH_PARAMETER : undefined),
      ),
      ...(isListType(nullable) ? { style: 'form', explode: false } : {}),
      schema: {
        ...inputSchema(type),
        ...(argument ? boundsOf(argument) : {}),
        ...(defaultValue ? { default: valueFromASTUntyped(defaultValue) } : {}),
      },
      ...(example === undefined ? {} : { example }),
    };
  });

const languageParameter = (languages: readonly string[]): JsonSchema[] =>
  languages.length === 0
    ? []
    : [
        {
          name: LANGUAGE_PARAMETER,
          in: 'query',
          required: false,
          description: `The language of the answer, a tag of BCP 47. There are ${languages.join(', ')}; others are answered in the nearest. Absent: as the header \`Accept-Language\` says.`,
          schema: { type: 'string' },
          example: languages.at(-1),
        },
      ];

const PATH_PARAMETER = 'Digits only; an id that no row has is a 404.';

const boundsOf = (argument: GraphQLArgument): JsonSchema => {
  const { minimum, maximum } = rangeOf(argument) ?? {};
  return isListType(getNullableType(argument.type))
    ? { minItems: minimum || undefined, maxItems: maximum }
    : { minimum, maximum };
};

/** The schema of a parameter's value, which is never null. */
const inputSchema = (type: GraphQLInputType): JsonSchema => {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: inputSchema(nullable.ofType) };
  if (isLeafType(nullable)) return leafSchema(nullable);
  throw new Error(`no query string can carry ${type}`);
};
