import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../config/config.ts';
import { bodyFault } from '../graphql/json-body.ts';
import type { Engine } from '../graphql/run-document.ts';
import { JSON_TYPE, jsonResponse, type WriteError } from '../http/message.ts';
import { type Call, type FindRoute, type Route, responseRoute } from '../http/route.ts';
import { createMcpRoute } from './mcp.ts';
import type { ToolName } from './operations.ts';
import { reasonOf, ToolRunner } from './run-tool.ts';

/** The address of a request says nothing of where a page comes from, which may have led its browser here (DNS rebinding). */
const LOCAL: readonly string[] = ['http://localhost', 'http://127.0.0.1', 'http://[::1]'];

const PATHS: Readonly<Record<string, ToolName>> = {
  '/ucp/catalog/search': 'search_catalog',
  '/ucp/catalog/lookup': 'lookup_catalog',
  '/ucp/catalog/product': 'get_product',
};

/** The paths of the Universal Commerce Protocol: https://ucp.dev/2026-08-25/specification/shopping/catalog/rest */
export const createUcpRoutes = async (config: Config, engine: Engine): Promise<FindRoute> => {
  const { publicUrl, corsOrigins, exposure, trustProxy } = config;
  const [documents, profile] = await Promise.all(['catalog.graphql', 'profile.json'].map(read));
  const runner = new ToolRunner({ ...config, ...engine }, String(documents));
  const baseOf = ({ request: { headers } }: Call): string =>
    publicUrl === undefined ? ownAddress(headers, trustProxy > 0) : publicUrl.replace(/\/+$/, '');
  const showProfile = responseRoute((call) => {
    const value: unknown = JSON.parse(String(profile).replaceAll('{base}', baseOf(call)));
    return jsonResponse(200, value, { 'cache-control': 'public, max-age=300' });
  }, exposure.ucp);
  const routes = new Map<string, Route>([
    ['/.well-known/ucp', showProfile],
    ['/ucp/mcp', createMcpRoute(runner, baseOf, [...(publicUrl === undefined ? LOCAL : [publicUrl]), ...corsOrigins])],
  ]);
  for (const [path, tool] of Object.entries(PATHS)) {
    routes.set(path, {
      methods: ['POST', 'OPTIONS'],
      writeError,
      countedAs: ['ucp', tool, path],
      faultOf: bodyFault,
      run: async (call) => {
        const answer = await runner.run(call, tool, await runner.read(call), baseOf(call));
        return { answer, head: { contentType: JSON_TYPE, isNegotiated: false } };
      },
    });
  }
  return (path) => routes.get(path);
};

const read = (name: string): Promise<string> => readFile(new URL(name, import.meta.url), 'utf8');

/** @param isBehindProxy whether proxies say by which address they were reached */
const ownAddress = (headers: IncomingHttpHeaders, isBehindProxy: boolean): string => {
  const said = (name: string): string | undefined =>
    isBehindProxy
      ? String(headers[name] ?? '')
          .split(',')[0]
          ?.trim() || undefined
      : undefined;
  const host = said('x-forwarded-host') ?? headers.host ?? 'localhost';
  return URL.parse(`${said('x-forwarded-proto') ?? 'http'}://${host}`)?.origin ?? 'http://localhost';
};

/** https://ucp.dev/2026-08-25/specification/overview#error-handling */
const writeError: WriteError = (error) =>
  jsonResponse(error.status, { code: reasonOf(error), content: error.message }, error.headers);
