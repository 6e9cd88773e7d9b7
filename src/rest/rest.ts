import { AppError } from '../errors.ts';
import type { Caller } from '../graphql/context.ts';
import { type BodyForm, type Engine, type Executed, ExecutionFailed } from '../graphql/engine.ts';
import type { Operation } from '../graphql/operation.ts';
import type { RestOperation } from './documents.ts';
import { createOperationLink, type OperationLink } from './operation-link.ts';
import { parseQueryString, percentDecode } from './query-string.ts';

/** What a request for a REST path asks of which document. */
export interface RestCall {
  readonly operation: RunnableOperation;
  readonly pathParameter: Readonly<Record<string, string>>;
}

interface RunnableOperation extends RestOperation {
  readonly prepared: Operation;
  /** The value of the root field is the body. */
  readonly form: BodyForm;
  /** Undefined where there is no GraphiQL to open. */
  readonly link: OperationLink | undefined;
}

interface RestAnswer {
  readonly executed: Executed;
  /** The value of the header `Link`. */
  readonly link: string | undefined;
}

export interface Rest {
  /** Undefined where no path matches. @throws AppError BAD_USER_INPUT for a broken percent encoding */
  readonly match: (path: string) => RestCall | undefined;
  /** @throws AppError, naming the parameter where one is at fault */
  readonly answer: (call: RestCall, query: string, caller: Caller) => Promise<RestAnswer>;
}

interface Deps {
  readonly engine: Engine;
  /** Where GraphiQL is; undefined where it is switched off. */
  readonly explorer: string | undefined;
}

/** The seven paths on the GraphQL engine. Nothing here knows any one of them. */
export const createRest = (operations: readonly RestOperation[], { engine, explorer }: Deps): Rest => {
  const literal = new Map<string, RunnableOperation>();
  const withParameter = new Map<string, { operation: RunnableOperation; name: string }>();
  for (const operation of operations.map((each) => runnable(each, engine, explorer))) {
    const { path } = operation.route;
    const brace = path.indexOf('{');
    if (brace < 0) literal.set(path, operation);
    else withParameter.set(path.slice(0, brace), { operation, name: path.slice(brace + 1, -1) });
  }

  return {
    match: (rawPath) => {
      // An encoded slash is part of a segment, not its end: https://www.rfc-editor.org/rfc/rfc3986#section-2.2
      const path = rawPath.includes('%') ? percentDecode(rawPath.replaceAll(/%2f/gi, '%252F')) : rawPath;
      const operation = literal.get(path);
      if (operation) return { operation, pathParameter: {} };
      const slash = path.lastIndexOf('/') + 1;
      const parent = withParameter.get(path.slice(0, slash));
      const value = path.slice(slash);
      if (!parent || !/^[0-9]+$/.test(value)) return undefined;
      return { operation: parent.operation, pathParameter: { [parent.name]: value } };
    },

    answer: async ({ operation, pathParameter }, query, caller) => {
      // First of all: who may not ask learns nothing of how to.
      const admission = caller.admit(operation.prepared.rootFields);
      if (admission) await admission;
      const variables = readVariables(operation, pathParameter, parseQueryString(query));
      const { prepared, form, link } = operation;
      try {
        return { executed: await engine.answer(prepared, variables, caller, form), link: link?.(variables) };
      } catch (error) {
        throw error instanceof ExecutionFailed ? restError(error, operation) : error;
      }
    },
  };
};

const notFound = (): AppError => new AppError('NOT_FOUND', 'There is nothing with this id.');

const readVariables = (
  { parameters }: RestOperation,
  pathParameter: RestCall['pathParameter'],
  fields: ReadonlyMap<string, string[]>,
): Record<string, unknown> => {
  const variables: Record<string, unknown> = {};
  for (const { name, isRequired, coerce } of parameters) {
    const inPath = pathParameter[name];
    if (inPath !== undefined) {
      variables[name] = readId(() => coerce([inPath]));
      continue;
    }
    // An empty value is the same as none: the document's default applies.
    const texts = fields.get(name)?.filter((text) => text !== '') ?? [];
    if (texts.length > 0) variables[name] = coerce(texts);
    else if (isRequired) {
      throw new AppError('BAD_USER_INPUT', `Parameter "${name}" is required.`, {
        argument: name,
        problem: 'is required',
      });
    }
  }
  return variables;
};

// An id that no row can have, however long, is one that no row has.
const readId = (coerce: () => unknown): unknown => {
  try {
    return coerce();
  } catch {
    throw notFound();
  }
};

const runnable = (operation: RestOperation, engine: Engine, explorer: string | undefined): RunnableOperation => {
  const prepared = engine.prepare(operation.document);
  if (!prepared) throw new Error(`${operation.route.document} has no operation`);
  const label = `{${JSON.stringify(operation.rootKey)}:`;
  const toBody = (data: string): string => {
    const value = data.slice(label.length, -1);
    // Nothing at all where a directive has taken the root field out.
    if (value === 'null' || value === '') throw notFound();
    return value;
  };
  const link = explorer === undefined ? undefined : createOperationLink(explorer, operation.id);
  return { ...operation, prepared, form: { name: 'rest', toBody }, link };
};

/** The AppError behind an error of the engine, speaking of the REST parameter where the engine spoke of the argument that it fed. */
const restError = ({ errors: [first] }: ExecutionFailed, { parameterOfArgument }: RestOperation): AppError => {
  const originalError = first?.originalError;
  if (!(originalError instanceof AppError)) {
    const code = first?.extensions.code === 'BAD_USER_INPUT' ? 'BAD_USER_INPUT' : 'INTERNAL_SERVER_ERROR';
    return new AppError(code, first?.message ?? 'The operation failed.');
  }
  const { code, argument, problem, headers } = originalError;
  const parameter = argument && parameterOfArgument.get(argument);
  if (!parameter || !problem) return originalError;
  return new AppError(code, `Parameter "${parameter}" ${problem}.`, {
    argument: parameter,
    problem,
    headers,
    cause: originalError,
  });
};
