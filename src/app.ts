import type { Logger } from 'pino';
import type { Access } from './access/access.ts';
import { PLACEHOLDER_NAME, placeholderImage } from './catalogue/placeholder-image.ts';
import { AppError } from './errors.ts';
import { toAppError } from './failure.ts';
import type { Graphiql } from './graphiql/graphiql.ts';
import type { Caller } from './graphql/context.ts';
import { answerGraphql, graphqlErrorResponse } from './graphql/door.ts';
import type { Engine } from './graphql/engine.ts';
import type { Health } from './health.ts';
import type { Cors } from './http/cors.ts';
import { type GatewayRequest, type GatewayResponse, splitTarget } from './http/message.ts';
import { requestIdFrom } from './http/request-id.ts';
import { problemResponse } from './http/responses.ts';
import { type StaticFile, serveFile } from './http/static-file.ts';
import type { Rest } from './rest/rest.ts';

/** The whole gateway as a function. It never rejects: every failure is an answer. */
export type App = (request: GatewayRequest) => Promise<GatewayResponse>;

interface Deps {
  readonly engine: Engine;
  readonly rest: Rest;
  readonly access: Access;
  readonly cors: Cors;
  readonly health: Health;
  /** Undefined where it is switched off. */
  readonly graphiql: Graphiql | undefined;
  readonly openapi: StaticFile;
  readonly log: Logger;
}

/** One resource: the methods that it takes, and its answer to them (HEAD and GET alike; OPTIONS is answered for all). */
interface Resource {
  readonly methods: readonly string[];
  readonly answer: () => GatewayResponse | Promise<GatewayResponse>;
}

const READ = ['GET', 'HEAD', 'OPTIONS'];
const MAX_TARGET_CHARS = 8192;

export const createApp = ({ engine, rest, access, cors, health, graphiql, openapi, log }: Deps): App => {
  const find = (request: GatewayRequest, path: string, query: string, log: Logger): Resource | undefined => {
    const read = (answer: Resource['answer']): Resource => ({ methods: READ, answer });
    const caller = (): Caller => ({ isGranted: access.isGranted(request), countViews: request.method !== 'HEAD', log });

    if (path === '/graphql') {
      const wantsPage = graphiql && request.method !== 'POST' && request.headers.accept?.includes('text/html');
      return {
        methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
        answer: async () =>
          wantsPage ? serveFile(request, await graphiql.page()) : answerGraphql(engine, request, caller()),
      };
    }
    if (path.startsWith('/api/')) {
      const call = rest.match(path);
      return call && read(() => rest.answer(call, query, caller()));
    }
    if (path === '/livez') return read(health.live);
    if (path === '/readyz') return read(health.ready);
    if (path === '/openapi.json') return read(() => serveFile(request, openapi));
    if (path === '/' && graphiql) return read(() => ({ status: 302, headers: { location: '/graphql' }, body: null }));
    if (path.startsWith('/graphiql/') && graphiql)
      return read(async () => serveAsset(request, await graphiql.asset(path)));
    const image = /^\/images\/([^/]+)\.svg$/.exec(path)?.[1];
    return image && PLACEHOLDER_NAME.test(image) ? read(() => serveImage(image)) : undefined;
  };

  const answer = async (request: GatewayRequest, log: Logger): Promise<GatewayResponse> => {
    if (request.target.length > MAX_TARGET_CHARS)
      throw new AppError('URI_TOO_LONG', `A request target may have ${MAX_TARGET_CHARS} characters.`);
    if (!request.target.startsWith('/')) throw new AppError('BAD_USER_INPUT', 'The request target must be a path.');
    const { path, query } = splitTarget(request.target);
    const resource = find(request, path, query, log);
    if (!resource) throw notFound();
    const allow = resource.methods.join(', ');
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
    if (!resource.methods.includes(request.method)) {
      throw new AppError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { allow } });
    }
    return resource.answer();
  };

  return async (request) => {
    const requestId = requestIdFrom(request.headers['x-request-id']);
    const requestLog = log.child({ requestId });
    const common = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' };
    let response: GatewayResponse;
    try {
      response = await answer(request, requestLog);
    } catch (error) {
      const toResponse = splitTarget(request.target).path === '/graphql' ? graphqlErrorResponse : problemResponse;
      response = toResponse(toAppError(error, requestLog));
    }
    return { ...response, headers: withCommon(response.headers, { ...common, ...cors(request) }) };
  };
};

const notFound = (): AppError => new AppError('NOT_FOUND', 'There is nothing at this path.');

const serveAsset = (request: GatewayRequest, file: StaticFile | undefined): GatewayResponse => {
  if (!file) throw notFound();
  return serveFile(request, file);
};

const withCommon = (
  headers: Readonly<Record<string, string>>,
  common: Record<string, string>,
): Record<string, string> => {
  const vary = [headers.vary, common.vary].filter(Boolean).join(', ');
  return { ...headers, ...common, ...(vary ? { vary } : {}) };
};

const serveImage = (name: string): GatewayResponse => ({
  status: 200,
  headers: { 'content-type': 'image/svg+xml; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  body: placeholderImage(name),
});
