import { Source } from 'graphql';
import { AppError } from '../errors.ts';
import type { Answers, BodyForm } from '../graphql/body-form.ts';
import type { MaskError } from '../graphql/mask-error.ts';
import type { Operation } from '../graphql/operation.ts';
import { appErrorOf, runDocument } from '../graphql/run-document.ts';
import type { RestDocument } from '../graphql/server-context.ts';
import type { Documents } from '../graphql/use-documents.ts';
import type { Yoga } from '../graphql/yoga.ts';
import {
  type GatewayResponse,
  JSON_TYPE,
  jsonResponse,
  PROBLEM_DETAILS,
  parseQueryString,
  percentDecode,
  problemText,
} from '../http/message.ts';
import { type Answered, type Call, type FindRoute, type OperationRoute, READ_METHODS } from '../http/route.ts';
import { type RestOperation, textOf } from './documents.ts';
import { badParameter, type Parameter } from './parameters.ts';

interface Options {
  readonly yoga: Pick<Yoga, 'getEnveloped'>;
  readonly documents: Pick<Documents, 'prepare'>;
  readonly answers: Answers;
  readonly maskError: MaskError;
}

/** The paths under `/api/`, run by the GraphQL engine. No code here is for a single path. */
export const createRestRoutes = (operations: readonly RestOperation[], options: Options): FindRoute => {
  // By their paths; of one that ends in a parameter, by what is before it.
  const routes = new Map<string, OperationRoute>();
  for (const operation of operations) {
    const [, start = '', parameter] = /^([^{]+)(?:\{(\w+)\})?$/.exec(operation.route.path) ?? [];
    routes.set(parameter === undefined ? start : `#${start}`, createRoute(operation, parameter, options));
  }

  return (rawPath) => {
    if (!rawPath.startsWith('/api/')) return undefined;
    const path = decodePath(rawPath);
    const [, start] = /^(.*\/)[0-9]+$/s.exec(path) ?? [];
    return routes.get(path) ?? routes.get(`#${start}`);
  };
};

// An encoded slash is part of a segment, not its end: https://www.rfc-editor.org/rfc/rfc3986#section-2.2
const decodePath = (path: string): string =>
  path.includes('%') ? percentDecode(path.replaceAll(/%2f/gi, '%252F')) : path;

/** A path, with the variable whose value is its last segment. */
interface Endpoint {
  readonly operation: RestOperation;
  readonly prepared: Operation;
  readonly rest: RestDocument;
  readonly pathParameter: string | undefined;
}

const createRoute = (operation: RestOperation, pathParameter: string | undefined, options: Options): OperationRoute => {
  const { route, document } = operation;
  const prepared = options.documents.prepare({ document });
  if (!prepared) throw new Error(`${route.document} has no operation`);
  const source = new Source(textOf(document), `${route.document}.graphql`);
  const endpoint = { operation, prepared, rest: { source, document, form: bodyFormOf(operation) }, pathParameter };
  return {
    methods: READ_METHODS,
    errors: PROBLEM_DETAILS,
    countedAs: ['rest', route.document, route.path],
    countsViewsOnly: () => prepared.isOnlyCounted,
    run: (call) => run(call, endpoint, options),
  };
};

const run = async (call: Call, endpoint: Endpoint, options: Options): Promise<Answered | GatewayResponse> => {
  const { operation, prepared, rest } = endpoint;
  const { answers, maskError } = options;
  // First of all, so that a client without a token learns nothing about the parameters.
  await call.admit(prepared.rootFields);
  const admitted: Call = { ...call, admit: () => undefined };
  const variables = readRequest(call, endpoint);
  const result = await runDocument(admitted, rest, variables, options);
  const [error] = result.errors ?? [];
  if (error) throw restError(appErrorOf(maskError(error)), operation);
  const executed = answers.ofResult(result);
  if (executed) return { executed, head: { contentType: JSON_TYPE, isNegotiated: false } };
  const value = result.data?.[operation.rootKey] ?? null;
  if (value === null) throw notFound();
  return jsonResponse(200, value, { 'cache-control': 'private, no-store' });
};

const readRequest = ({ path, query }: Call, { operation, pathParameter }: Endpoint): Record<string, unknown> => {
  const id = decodePath(path).split('/').at(-1) ?? '';
  const inPath = pathParameter === undefined ? {} : { [pathParameter]: id };
  return readVariables(operation, inPath, parseQueryString(query));
};

const notFound = (): AppError => new AppError('NOT_FOUND', 'There is nothing with this id.');

/** PHP, axios, jQuery and qs write the items of a list as `ids[]=1&ids[]=2` or `ids[0]=1&ids[1]=2`. */
const ITEM = /\[\d*\]$/;

const textsOf = ({ name, isList }: Parameter, fields: URLSearchParams): readonly string[] =>
  isList ? [...fields].flatMap(([key, text]) => (key.replace(ITEM, '') === name ? [text] : [])) : fields.getAll(name);

const readVariables = (
  { parameters }: RestOperation,
  pathParameter: Readonly<Record<string, string>>,
  fields: URLSearchParams,
): Record<string, unknown> => {
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { name, isRequired, coerce } = parameter;
    const inPath = pathParameter[name];
    if (inPath !== undefined) {
      variables[name] = readId(() => coerce([inPath]));
      continue;
    }
    // An empty value is the same as an absent one: the document's default applies.
    const texts = textsOf(parameter, fields).filter((text) => text !== '');
    if (texts.length > 0) variables[name] = coerce(texts);
    else if (isRequired) throw badParameter(name, 'is required');
  }
  return variables;
};

// An id past the range of integers is one that no row has.
const readId = (coerce: () => unknown): unknown => {
  try {
    return coerce();
  } catch {
    throw notFound();
  }
};

const NOTHING_WITH_ID = problemText(notFound());

const bodyFormOf = ({ rootKey }: RestOperation): BodyForm => {
  const label = `{${JSON.stringify(rootKey)}:`;
  return {
    name: 'rest',
    toBody: (data) => {
      const body = data.slice(label.length, -1);
      // Empty where a directive has removed the root field.
      return body === 'null' || body === '' ? { body: NOTHING_WITH_ID, status: 404 } : { body, status: 200 };
    },
    toResult: (body, status) => ({ data: { [rootKey]: status === 404 ? null : JSON.parse(body) } }),
    hasCost: false,
    givesPartialData: false,
  };
};

/** The error of an operation, which names the REST parameter instead of the argument. */
const restError = (error: AppError, { parameters }: RestOperation): AppError => {
  const { code, argument, problem, headers } = error;
  const parameter = parameters.find((each) => each.arguments.some(({ name }) => name === argument));
  if (!parameter || !problem) return error;
  return new AppError(code, `Parameter "${parameter.name}" ${problem}.`, {
    argument: parameter.name,
    problem,
    headers,
    cause: error,
  });
};
