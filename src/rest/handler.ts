import { Source } from 'graphql';
import { AppError } from '../errors.ts';
import type { Operation } from '../graphql/operation.ts';
import { type Engine, type NameOf, runDocument } from '../graphql/run-document.ts';
import type { BodyForm, RestDocument } from '../graphql/server-context.ts';
import {
  type GatewayResponse,
  inLanguage,
  JSON_TYPE,
  jsonResponse,
  parseQueryString,
  percentDecode,
  problemResponse,
  problemText,
} from '../http/message.ts';
import {
  type Call,
  type FindRoute,
  type HeadedAnswer,
  type OperationRoute,
  READ_METHODS,
  type ResponseHead,
} from '../http/route.ts';
import { canonicalTag, type LanguageChoice, noTag } from '../language/languages.ts';
import { type RestOperation, textOf } from './documents.ts';
import { badParameter, coerceTexts, LANGUAGE_PARAMETER, type Parameter } from './parameters.ts';

/** The paths under `/api/`, run by the GraphQL engine. No code here is for a single path. */
export const createRestRoutes = (operations: readonly RestOperation[], engine: Engine): FindRoute => {
  // By their paths; of one that ends in a parameter, by what is before it.
  const endpoints = new Map<string, Endpoint>();
  for (const operation of operations) {
    const [, start = '', parameter] = /^([^{]+)(?:\{(\w+)\})?$/.exec(operation.route.path) ?? [];
    endpoints.set(parameter === undefined ? start : `#${start}`, createEndpoint(operation, parameter, engine));
  }

  return (rawPath) => {
    if (!rawPath.startsWith('/api/')) return undefined;
    const path = decodePath(rawPath);
    const [, start, id] = /^(.*\/)([0-9]+)$/s.exec(path) ?? [];
    const endpoint = endpoints.get(path) ?? endpoints.get(`#${start}`);
    return endpoint?.(id);
  };
};

// An encoded slash is part of a segment, not its end: https://www.rfc-editor.org/rfc/rfc3986#section-2.2
const decodePath = (path: string): string =>
  path.includes('%') ? percentDecode(path.replaceAll(/%2f/gi, '%252F')) : path;

/** The routes of a row of the table of paths: one for each id at the end of the path. It is kept for as long as its request is remembered. */
type Endpoint = (id: string | undefined) => OperationRoute;

/** @param pathParameter the variable whose value is the last segment of the path */
const createEndpoint = (operation: RestOperation, pathParameter: string | undefined, engine: Engine): Endpoint => {
  const { route, document, parameters, rootKey } = operation;
  const prepared = engine.documents.prepare({ document }) as Operation;
  const source = new Source(textOf(document), `${route.document}.graphql`);
  const rest: RestDocument = { source, document, form: bodyFormOf(operation) };
  const nameOf: NameOf = (argument) => {
    const parameter = parameters.find((each) => each.arguments.some(({ name }) => name === argument));
    return parameter && [parameter.name, `Parameter "${parameter.name}"`];
  };

  const run = async (call: Call, id: string | undefined): Promise<HeadedAnswer | GatewayResponse> => {
    // First of all, so that a client without a token learns nothing about the parameters.
    await call.admit(prepared.rootFields);
    const fields = parseQueryString(call.query);
    readLanguage(call.language, fields);
    const variables = readVariables(parameters, fields, pathParameter, id);
    const { answer, data } = await runDocument(call, rest, variables, engine, nameOf);
    if (answer) return { answer, head: HEAD };
    const value = data[rootKey] ?? null;
    if (value === null) throw notFound();
    const response = jsonResponse(200, value, { 'cache-control': 'private, no-store' });
    return { ...response, headers: inLanguage(response.headers, call.language.shown) };
  };

  const shared: Omit<OperationRoute, 'run'> = {
    methods: READ_METHODS,
    writeError: problemResponse,
    countedAs: ['rest', route.document, route.path],
    isAllLate: () => prepared.isAllLate,
  };
  return (id) => ({ ...shared, run: (call) => run(call, id) });
};

/** One for all requests that are remembered. */
const HEAD: ResponseHead = { contentType: JSON_TYPE, isNegotiated: false };

const notFound = (): AppError => new AppError('NOT_FOUND', 'There is nothing with this id.');

/** PHP, axios, jQuery and qs write the items of a list as `ids[]=1&ids[]=2` or `ids[0]=1&ids[1]=2`. */
const ITEM = /\[\d*\]$/;

const textsOf = ({ name, isList }: Parameter, fields: URLSearchParams): readonly string[] =>
  isList ? [...fields].flatMap(([key, text]) => (key.replace(ITEM, '') === name ? [text] : [])) : fields.getAll(name);

const readVariables = (
  parameters: readonly Parameter[],
  fields: URLSearchParams,
  pathParameter: string | undefined,
  id: string | undefined,
): Record<string, unknown> => {
  const variables: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { name, isRequired } = parameter;
    if (name === pathParameter && id !== undefined) {
      variables[name] = readId(() => coerceTexts(parameter, [id]));
      continue;
    }
    // An empty value is the same as an absent one: the document's default applies.
    const texts = textsOf(parameter, fields).filter((text) => text !== '');
    if (texts.length > 0) variables[name] = coerceTexts(parameter, texts);
    else if (isRequired) throw badParameter(name, 'is required');
  }
  return variables;
};

/** The parameter that every path has where languages are configured. */
const readLanguage = (choice: LanguageChoice, fields: URLSearchParams): void => {
  if (!choice.isOffered) return;
  const [tag, ...more] = fields.getAll(LANGUAGE_PARAMETER).filter((text) => text !== '');
  if (more.length > 0) throw badParameter(LANGUAGE_PARAMETER, 'may be given only once');
  if (tag === undefined) return;
  if (canonicalTag(tag) === undefined) throw badParameter(LANGUAGE_PARAMETER, noTag(tag));
  choice.name(tag);
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
  };
};
