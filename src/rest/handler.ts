import type { ExecutionResult, GraphQLError } from 'graphql';
import { AppError, ERROR_TABLE, type ErrorCode } from '../errors.ts';
import type { BodyForm } from '../graphql/body-form.ts';
import type { RequestState } from '../graphql/context.ts';
import type { HttpPart, MaskError } from '../graphql/mask-error.ts';
import type { Documents } from '../graphql/use-documents.ts';
import type { Yoga } from '../graphql/yoga.ts';
import { JSON_TYPE, PROBLEM_DETAILS, parseQueryString, percentDecode, problemText } from '../http/message.ts';
import { type Call, type FindRoute, type OperationRoute, READ_METHODS } from '../http/route.ts';
import { type RestOperation, textOf } from './documents.ts';
import { badParameter, type Parameter } from './parameters.ts';

interface Options {
  readonly yoga: Pick<Yoga, 'getEnveloped'>;
  readonly documents: Pick<Documents, 'prepare'>;
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

/** @param pathParameter the variable whose value is the last segment of the path */
const createRoute = (
  operation: RestOperation,
  pathParameter: string | undefined,
  { yoga, documents, maskError }: Options,
): OperationRoute => {
  const { route, document, rootKey } = operation;
  const prepared = documents.prepare(document);
  if (!prepared) throw new Error(`${route.document} has no operation`);
  const text = textOf(document);
  const form = bodyFormOf(operation);

  const readRequest = ({ path, query }: Call): Record<string, unknown> => {
    const id = decodePath(path).split('/').at(-1) ?? '';
    const inPath = pathParameter === undefined ? {} : { [pathParameter]: id };
    return readVariables(operation, inPath, parseQueryString(query));
  };

  /** Through the same plugins as an operation by `/graphql`: https://the-guild.dev/graphql/envelop/docs */
  const execute = async (
    call: Call,
    state: RequestState,
    variableValues: Record<string, unknown>,
  ): Promise<ExecutionResult> => {
    const { schema, parse, validate, contextFactory, execute } = yoga.getEnveloped({ call, state });
    const parsed = parse(text);
    const errors = validate(schema, parsed);
    if (errors.length > 0) return { errors };
    return execute({ schema, document: parsed, contextValue: await contextFactory(), variableValues });
  };

  return {
    methods: READ_METHODS,
    errors: PROBLEM_DETAILS,
    countedAs: ['rest', route.document, route.path],
    countsViewsOnly: () => prepared.isOnlyCounted,

    run: async (call) => {
      // First of all, so that a client without a token learns nothing about the parameters.
      await call.admit(prepared.rootFields);
      const variables = readRequest(call);
      const state: RequestState = { document, isAdmitted: true, form };
      const result = await execute(call, state, variables).catch((error): ExecutionResult => ({ errors: [error] }));
      const [error] = result.errors ?? [];
      if (error) throw restError(maskError(error), operation);
      const head = { contentType: JSON_TYPE, isNegotiated: false };
      if (state.executed && result === state.result && !state.result.isChanged())
        return { executed: state.executed, head };
      const value = result.data?.[rootKey] ?? null;
      if (value === null) throw notFound();
      return { executed: { status: 200, body: JSON.stringify(value), encoding: 'utf8' }, head };
    },
  };
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
  const toBody = (data: string): string => data.slice(label.length, -1);
  const toAbsence = (data: string): string | undefined => {
    const value = toBody(data);
    // Empty where a directive has removed the root field.
    return value === 'null' || value === '' ? NOTHING_WITH_ID : undefined;
  };
  const toResult = (body: string, status: 200 | 404): ExecutionResult => ({
    data: { [rootKey]: status === 404 ? null : JSON.parse(body) },
  });
  return { name: 'rest', toBody, toAbsence, toResult, hasExtensions: false, givesPartialData: false };
};

/** The AppError behind a masked error, which names the REST parameter instead of the argument. Any other error is a plugin's, with a code of its own. */
const restError = ({ originalError: cause, message, extensions }: GraphQLError, operation: RestOperation): AppError => {
  const { parameters } = operation;
  if (!(cause instanceof AppError)) {
    const code = extensions.code as ErrorCode;
    const { headers, status = ERROR_TABLE[code]?.status ?? 500 } = (extensions.http ?? {}) as Partial<HttpPart>;
    return new AppError(code, message, { status, headers: Object.fromEntries(new Headers(headers)) });
  }
  const { code, argument, problem, headers } = cause;
  const parameter = parameters.find((each) => each.arguments.some(({ name }) => name === argument));
  if (!parameter || !problem) return cause;
  return new AppError(code, `Parameter "${parameter.name}" ${problem}.`, {
    argument: parameter.name,
    problem,
    headers,
    cause,
  });
};
