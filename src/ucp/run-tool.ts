import type { Tool } from '@modelcontextprotocol/server';
import { Ajv } from '@modelcontextprotocol/server/validators/ajv';
import { parse, print, Source, separateOperations } from 'graphql';
import { toBody } from '../cache/cached-response.ts';
import { type Answer, bytesOfAnswer } from '../cache/response-cache.ts';
import { AppError } from '../errors.ts';
import { readJson } from '../graphql/json-body.ts';
import { type Engine, type NameOf, runDocument } from '../graphql/run-document.ts';
import type { BodyForm, RestDocument } from '../graphql/server-context.ts';
import type { Call } from '../http/route.ts';
import { type AnyRequest, filterOf, PLANS, type Plan, type ToolName } from './operations.ts';
import tools from './tools.json' with { type: 'json' };

interface ToolOptions extends Engine {
  readonly productUrl: string | undefined;
  readonly shopCurrency: string | undefined;
}

/** Arguments of GraphQL by the names that requests have for them. */
const MEMBERS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['search', ['query', 'query']],
  ['after', ['pagination.cursor', 'pagination.cursor']],
]);

const memberOf: NameOf = (argument) => MEMBERS.get(argument);

/** Runs tools on the GraphQL engine. */
export class ToolRunner {
  readonly #options: ToolOptions;
  readonly #documents: ReadonlyMap<string, Omit<RestDocument, 'form'>>;
  readonly #rootFields: ReadonlySet<string>;

  /** @param text of catalog.graphql */
  constructor(options: ToolOptions, text: string) {
    this.#options = options;
    const operations = Object.entries(separateOperations(parse(text)));
    const sources = operations.map(([name, operation]) => new Source(print(operation), name));
    this.#documents = new Map(sources.map((source) => [source.name, { source, document: parse(source) }]));
    const prepared = [...this.#documents.values()].map(({ document }) => options.documents.prepare({ document }));
    this.#rootFields = new Set(prepared.flatMap((operation) => [...(operation?.rootFields ?? [])]));
  }

  /**
   * The JSON of a request. First of all its caller is admitted, so that one without a token learns nothing about the parameters.
   * @throws (in the promise) AppError UNAUTHENTICATED, BAD_USER_INPUT, QUERY_TOO_COMPLEX
   */
  async read(call: Call): Promise<unknown> {
    await call.admit(this.#rootFields);
    return readJson(call.request.body as Buffer);
  }

  /** @param base where the addresses of the gateway begin @throws (in the promise) AppError */
  async run(call: Call, tool: ToolName, request: unknown, base: string): Promise<Answer> {
    const { productUrl, shopCurrency } = this.#options;
    const checked = checkRequest(tool, request) as AnyRequest;
    const { language } = checked.context ?? {};
    if (language !== undefined && call.language.isOffered) call.language.name(language);
    const filter = await filterOf(checked, shopCurrency, async (document, variables) => {
      const answer = await this.#execute(call, { ...PLAIN, document, variables });
      return JSON.parse(bytesOfAnswer(answer).toString());
    });
    return this.#execute(call, PLANS[tool](checked as never, filter, { base, productUrl }));
  }

  async #execute(call: Call, { document, variables, ...others }: Plan): Promise<Answer> {
    const rest = { ...(this.#documents.get(document) as RestDocument), form: formOf(others) };
    const { answer, data } = await runDocument(call, rest, variables, this.#options, memberOf);
    if (answer) return answer;
    // What a plugin has changed is an answer where answers are shared, and else the data of which one is made.
    const own = this.#options.tokens.isCallersOwn ? others.answerOf(data as never) : data;
    return { status: 200, body: toBody(JSON.stringify(own)).body };
  }
}

const formOf = ({ key, answerOf }: Pick<Plan, 'key' | 'answerOf'>): BodyForm => ({
  name: `ucp ${key}`,
  toBody: (data) => ({ body: JSON.stringify(answerOf(JSON.parse(data) as never)), status: 200 }),
  toResult: (body) => ({ data: JSON.parse(body) }),
});

/** The data themselves. */
const PLAIN = { key: 'data', answerOf: (data: Readonly<Record<string, unknown>>) => data };

/** As MCP lists them, by https://ucp.dev/2026-08-25/schemas/shopping/: of members that no schema has, nothing is read. */
export const TOOLS = tools as unknown as readonly Tool[];

/** It finds one fault: the package's own finds each of half a million ids that are none. */
const VALIDATOR = new Ajv({ strict: false });

const CHECKS = new Map(
  TOOLS.map(({ name, inputSchema }) => [name, VALIDATOR.compile(inputSchema.properties?.catalog as object)]),
);

/** A request that the schema of its tool allows. @throws AppError BAD_USER_INPUT with what is wrong */
const checkRequest = (tool: ToolName, request: unknown): unknown => {
  const check = CHECKS.get(tool);
  if (check?.(request)) return request;
  const { instancePath = '', message } = check?.errors?.[0] ?? {};
  const what = instancePath.slice(1) || 'The request (by MCP, the argument "catalog")';
  throw new AppError('BAD_USER_INPUT', `${what} ${message}.`);
};

/** The code of an error by the protocol. */
export const reasonOf = ({ code, details }: Pick<AppError, 'code' | 'details'>): string =>
  String(details.reason ?? (code === 'BAD_USER_INPUT' ? 'invalid_request' : code.toLowerCase()));
