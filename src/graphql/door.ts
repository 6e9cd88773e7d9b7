import { AppError, ERROR_TABLE } from '../errors.ts';
import type { AnswerResponse } from '../http/answer-response.ts';
import { type GatewayRequest, type GatewayResponse, splitTarget } from '../http/message.ts';
import { type Recollection, requestKey } from '../http/recollection.ts';
import { ownResponse } from '../http/responses.ts';
import { parseQueryString } from '../rest/query-string.ts';
import type { Caller } from './context.ts';
import type { Engine, Executed } from './engine.ts';
import { checkJson } from './limits/check-json.ts';
import type { YogaCall } from './plugins.ts';
import type { Asked, RequestMemo } from './request-memo.ts';

/** A host that is never looked up: what a client says of its own is not trusted. */
const ORIGIN = 'http://gateway.invalid';

interface Deps {
  readonly engine: Engine;
  readonly recollection: Recollection;
  readonly requestMemo: RequestMemo;
  readonly toResponse: AnswerResponse;
}

/**
 * GraphQL over HTTP through Yoga, which says what a request asks for, or what is wrong with it. Where its like was answered before, the first is known.
 * @throws AppError for what no GraphQL server could take
 */
export const answerGraphql = async (deps: Deps, request: GatewayRequest, caller: Caller): Promise<GatewayResponse> => {
  const { engine, requestMemo } = deps;
  const body = request.method === 'POST' ? await readJsonBody(request) : undefined;
  const key = requestKey(request, body);
  const known = key === undefined ? undefined : requestMemo.recall(key);
  let attempt: Promise<Executed> | undefined;
  if (known) {
    const { operation, variables, form, contentType } = known;
    caller.record.isFor('graphql', operation.label, '/graphql');
    attempt = engine.answer(operation, variables, caller, form);
    try {
      return respond(deps, request, caller, await attempt, contentType, body);
    } catch {
      // Below, Yoga makes an answer of what went wrong.
    }
  }

  let executed: Executed | undefined;
  let asked: Omit<Asked, 'contentType'> | undefined;
  let invalid: ReadonlySet<string> | undefined;
  const call: YogaCall = {
    caller,
    attempt,
    onExecuted: (...result) => {
      [executed, asked] = result;
    },
    onInvalid: (rootFields) => {
      invalid = rootFields;
    },
  };
  const yoga = await engine.yoga();
  const headers = { accept: request.headers.accept ?? '*/*', 'content-type': 'application/json' };
  const response =
    body !== undefined
      ? await yoga.fetch(`${ORIGIN}/graphql`, { method: 'POST', headers, body: readText(body) }, call)
      : await yoga.fetch(readUrl(request), { method: 'GET', headers }, call);

  if (invalid) await caller.admit(invalid);
  const contentType = response.headers.get('content-type') ?? 'application/json; charset=utf-8';
  if (executed) {
    if (key !== undefined && asked) requestMemo.learn(key, { ...asked, contentType });
    return respond(deps, request, caller, executed, contentType, body);
  }
  if (response.status === 406) {
    throw new AppError('NOT_ACCEPTABLE', 'Answers are application/json or application/graphql-response+json.');
  }
  return {
    status: response.status,
    headers: { ...lowerCased(response.headers), 'cache-control': 'no-store', vary: 'accept' },
    body: await response.text(),
  };
};

const respond = (
  { recollection, toResponse }: Deps,
  request: GatewayRequest,
  { record }: Caller,
  executed: Executed,
  contentType: string,
  body: Buffer | undefined,
): GatewayResponse => {
  const { counts } = record;
  if (executed.answer) {
    record.cache = executed.outcome;
    recollection.learn(request, executed.answer, { contentType, counts }, body);
    return toResponse(executed.answer, executed.outcome, request, contentType);
  }
  if (executed.template) recollection.learn(request, executed.template, { contentType, counts }, body);
  return ownResponse(request, contentType, executed.body, executed.encoding);
};

const lowerCased = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    [...headers].map(([name, value]) => [name.toLowerCase(), value]).filter(([name]) => name !== 'content-length'),
  );

/** Read as strictly as REST does it: Yoga would put replacement characters for what is broken, and take the first of two queries. */
const readUrl = ({ target }: GatewayRequest): string => {
  const fields = parseQueryString(splitTarget(target).query);
  for (const name of ['query', 'operationName', 'variables', 'extensions']) {
    if ((fields.get(name)?.length ?? 0) > 1) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is given more than once.`);
    }
  }
  // Yoga would take a failure to parse these for one of its own.
  for (const name of ['variables', 'extensions']) {
    try {
      JSON.parse(fields.get(name)?.[0] || 'null');
    } catch (error) {
      throw new AppError('BAD_USER_INPUT', `The query parameter "${name}" is not valid JSON.`, { cause: error });
    }
  }
  return new URL(ORIGIN + target).href;
};

const readJsonBody = (request: GatewayRequest): Promise<Buffer> => {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every(
    (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
  );
  if (mediaType !== 'application/json' || !isUtf8) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'POST takes application/json in UTF-8 only.');
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A request body may not be compressed.');
  }
  return request.body();
};

const readText = (bytes: Buffer): string => {
  const text = decodeUtf8(bytes);
  checkJson(text);
  return text;
};

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError('BAD_USER_INPUT', 'The request body is not valid UTF-8.', { cause: error });
  }
};

/** An error of this door that came before or around the engine, in the shape of a GraphQL response. */
export const graphqlErrorResponse = ({ code, message, headers, details }: AppError): GatewayResponse => ({
  status: ERROR_TABLE[code].status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify({ errors: [{ message, extensions: { code, ...details } }] }),
});
