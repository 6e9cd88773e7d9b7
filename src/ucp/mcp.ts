import {
  createMcpHandler,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import packageJson from '../../package.json' with { type: 'json' };
import { bytesOfAnswer } from '../cache/response-cache.ts';
import { AppError } from '../errors.ts';
import { bodyFault } from '../graphql/json-body.ts';
import { type GatewayResponse, inLanguage, jsonResponse, type WriteError } from '../http/message.ts';
import type { Call, OperationRoute } from '../http/route.ts';
import { PLANS, type ToolName } from './operations.ts';
import { reasonOf, TOOLS, type ToolRunner } from './run-tool.ts';

const PATH = '/ucp/mcp';

/** How long a client may keep the list of tools. */
const CACHE_HINT = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

/** What one request needs while the server package handles it. */
interface Exchange {
  readonly call: Call;
  readonly base: string;
  /** Why a tool has failed, where HTTP says so too. */
  failure?: AppError;
}

/**
 * The tools by the Model Context Protocol, without sessions: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 * @param origins of web pages that may call
 */
export const createMcpRoute = (
  runner: ToolRunner,
  baseOf: (call: Call) => string,
  origins: readonly string[],
): OperationRoute => ({
  methods: ['POST', 'OPTIONS'],
  writeError,
  countedAs: ['ucp', 'mcp', PATH],
  faultOf: bodyFault,
  run: async (call) => {
    const base = baseOf(call);
    const request = webRequestOf(call, base);
    const hosts = origins.map((origin) => URL.parse(origin)?.hostname ?? '');
    const refusal = origins.includes('*') ? undefined : originValidationResponse(request, hosts);
    if (refusal) return toGatewayResponse(refusal);
    const parsedBody = await runner.read(call);
    if (Array.isArray(parsedBody)) return toResponse(NO_BATCHES, ProtocolErrorCode.InvalidRequest);
    const exchange: Exchange = { call, base };
    // Nothing that is listed changes while the gateway runs.
    const handler = createMcpHandler(() => serverOf(exchange, runner), { maxSubscriptions: 0 });
    const response = await toGatewayResponse(await handler.fetch(request, { parsedBody }));
    const { status = response.status, headers = {} } = exchange.failure ?? {};
    return { ...response, status, headers: inLanguage({ ...response.headers, ...headers }, call.language.shown) };
  },
});

/** A request without its body. */
const webRequestOf = ({ request: { headers } }: Call, base: string): Request => {
  const { accept = '*/*' } = headers;
  // Revisions of 2025 want both types named, which most clients that are no browsers leave to a range.
  const both = accept.includes('*/*') ? { accept: 'application/json, text/event-stream' } : {};
  return new Request(base + PATH, { method: 'POST', headers: { ...headers, ...both } as Record<string, string> });
};

const toGatewayResponse = async (response: Response): Promise<GatewayResponse> => ({
  status: response.status,
  headers: { ...Object.fromEntries(response.headers), 'cache-control': 'private, no-store' },
  body: await response.text(),
});

/** One for each request. */
const serverOf = (exchange: Exchange, runner: ToolRunner): Server => {
  const server = new Server(
    { name: 'vitrine', title: 'Catalogue', version: packageJson.version },
    { capabilities: { tools: {} }, cacheHints: { 'server/discover': CACHE_HINT, 'tools/list': CACHE_HINT } },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...TOOLS] }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }) => {
    if (!isTool(name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(name)}.`);
    }
    const text = await callTool(name, given?.catalog, exchange, runner);
    return { structuredContent: JSON.parse(text), content: [{ type: 'text', text }] };
  });
  return server;
};

const isTool = (name: string): name is ToolName => Object.hasOwn(PLANS, name);

const callTool = async (name: ToolName, given: unknown, exchange: Exchange, runner: ToolRunner): Promise<string> => {
  const { call, base } = exchange;
  try {
    return bytesOfAnswer(await runner.run(call, name, given, base)).toString();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isClients = error.status < 500;
    if (!isClients) exchange.failure = error;
    throw new ProtocolError(isClients ? ProtocolErrorCode.InvalidParams : SERVER_ERROR, error.message, dataOf(error));
  }
};

/** https://ucp.dev/2026-08-25/specification/overview#error-codes */
const SERVER_ERROR = -32_000;

const dataOf = (error: AppError) => ({
  code: reasonOf(error),
  content: error.message,
  ...(error.headers['retry-after'] !== undefined && { retry_after: Number(error.headers['retry-after']) }),
});

/** One would be as many calls as fit into a body. No revision since 2025-06-18 has them. */
const NO_BATCHES = new AppError('BAD_USER_INPUT', 'The body must be one message: batches are not taken.');

/** Refusals before the server package has the request. */
const writeError: WriteError = (error) =>
  toResponse(error, error.code === 'BAD_USER_INPUT' ? ProtocolErrorCode.ParseError : SERVER_ERROR);

const toResponse = (error: AppError, code: number): GatewayResponse => {
  const { status, message, headers } = error;
  return jsonResponse(status, { jsonrpc: '2.0', id: null, error: { code, message, data: dataOf(error) } }, headers);
};
