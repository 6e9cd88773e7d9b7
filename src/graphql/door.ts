import { AppError, ERROR_TABLE } from '../errors.ts';
import type { AnswerResponse } from '../http/answer-response.ts';
import { type GatewayRequest, type GatewayResponse, splitTarget } from '../http/message.ts';
import type { Recollection } from '../http/recollection.ts';
import { ownResponse } from '../http/responses.ts';
import { parseQueryString } from '../rest/query-string.ts';
import type { Caller } from './context.ts';
import type { Engine, Executed } from './engine.ts';
import { checkJson } from './limits/check-json.ts';
import type { YogaCall } from './plugins.ts';

/** A host that is never looked up: what a client says of its own is not trusted. */
const ORIGIN = 'http://gateway.invalid';

interface Deps {
  readonly engine: Engine;
  readonly recollection: Recollection;
  readonly toResponse: AnswerResponse;
}

/** GraphQL over HTTP through Yoga. @throws AppError for what no GraphQL server could take */
export const answerGraphql = async (
  { engine, recollection, toResponse }: Deps,
  request: GatewayRequest,
  caller: Caller,
): Promise<GatewayResponse> => {
  let executed: Executed | undefined;
  let invalid: ReadonlySet<string> | undefined;
  const call: YogaCall = {
    caller,
    onExecuted: (result) => {
      executed = result;
    },
    onInvalid: (rootFields) => {
      invalid = rootFields;
    },
  };
  const body = request.method === 'POST' ? await readJsonBody(request) : undefined;
  const headers = { accept: request.headers.accept ?? '*/*', 'content-type': 'application/json' };
  const response =
    body !== undefined
      ? await engine.yoga.fetch(`${ORIGIN}/graphql`, { method: 'POST', headers, body: readText(body) }, call)
      : await engine.yoga.fetch(readUrl(request), { method: 'GET', headers }, call);

  if (invalid) await caller.admit(invalid);
  const contentType = response.headers.get('content-type') ?? 'application/json; charset=utf-8';
  if (executed?.answer) {
    caller.record.cache = executed.outcome;
    recollection.learn(request, executed.answer, { contentType, counts: caller.record.counts }, body);
    return toResponse(executed.answer, executed.outcome, request, contentType);
  }
  if (executed) {
    const { body: own, encoding, template } = executed;
    if (template) recollection.learn(request, template, { contentType, counts: caller.record.counts }, body);
    return ownResponse(request, contentType, own, encoding);
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
