import { createHash } from 'node:crypto';
import { type GraphQLSchema, getNamedType, isNonNullType } from 'graphql';
import packageJson from '../../package.json' with { type: 'json' };
import type { StaticFile } from '../http/static-file.ts';
import type { RestOperation } from './documents.ts';
import { createAnswers } from './openapi-answer.ts';
import { exampleOf } from './openapi-example.ts';
import { answerHeaders, NOT_MODIFIED } from './openapi-headers.ts';
import { parameterObjects } from './openapi-parameters.ts';
import { PROBLEM, problemReferences, problemResponses } from './openapi-problems.ts';
import type { JsonSchema } from './openapi-schema.ts';
import { rootSelection } from './openapi-selection.ts';

/** OpenAPI 3.1 of the REST paths, derived from their documents and the schema: https://spec.openapis.org/oas/v3.1.1.html */
export const createOpenapi = (operations: readonly RestOperation[], schema: GraphQLSchema): StaticFile => {
  const identity = new TextEncoder().encode(JSON.stringify(openapiDocument(operations, schema)));
  return {
    contentType: 'application/json; charset=utf-8',
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    cacheControl: 'no-cache',
    bodies: { identity },
  };
};

const DESCRIPTION = `${packageJson.description}

Every path answers HEAD as it answers GET. An empty parameter is the same as an absent one, and one that the path does not
know is ignored. Names of enum values are taken in any case.`;

export const openapiDocument = (operations: readonly RestOperation[], schema: GraphQLSchema): JsonSchema => {
  const answers = createAnswers(schema);
  const tags = new Map<string, JsonSchema>();

  const operationObject = (restOperation: RestOperation): JsonSchema => {
    const { id, route } = restOperation;
    const root = rootSelection(restOperation, schema);
    const { field } = root;
    const isCounted = field.extensions.isCounted === true;

    const tag = route.path.split('/')[2] ?? '';
    if (!tags.has(tag)) tags.set(tag, { name: tag, ...described(getNamedType(field.type).description) });

    return {
      operationId: id,
      summary: route.summary,
      ...described(field.description),
      tags: [tag],
      parameters: parameterObjects(restOperation, schema),
      responses: {
        200: {
          description: route.summary,
          headers: answerHeaders({ isCounted }),
          content: { 'application/json': { schema: answers.schemaOf(root), example: exampleOf(schema, root) } },
        },
        ...(isCounted ? {} : { 304: { $ref: '#/components/responses/NotModified' } }),
        ...problemReferences({ canBeMissing: !isNonNullType(field.type) || !root.isCertain }),
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
    servers: [{ url: '/' }],
    // The empty requirement makes the token optional: whether one is needed is the operator's choice.
    security: [{}, { accessToken: [] }],
    tags: [...tags.values()],
    paths,
    components: {
      schemas: { ...answers.components(), Problem: PROBLEM },
      responses: { NotModified: NOT_MODIFIED, ...problemResponses() },
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
    },
  };
};

const described = (description: string | null | undefined): JsonSchema => (description ? { description } : {});
