import { type GraphQLField, type GraphQLObjectType, getArgumentValues, type VariableValues } from 'graphql';
import { type CachedResponse, latin1Of } from '../cache/cached-response.ts';
import type { Dependencies } from '../cache/dependencies.ts';
import { TakenValues } from '../cache/late-value.ts';
import type { Answer, Found } from '../cache/response-cache.ts';
import { databaseUnavailable } from '../errors.ts';
import { ExecutionFailed } from './failures.ts';
import type { MergedField } from './selection.ts';
import { type BodyForm, GRAPHQL_BODY } from './server-context.ts';

/**
 * Late values: values that are filled in last, for each request and with an effect of its own: which view of a notice it is (notice.loader.ts).
 *
 * 1. A root field whose object has one says its key. Where the request takes late values (`dependencies.takesLate`; a HEAD and a preview do not),
 *    the loader puts a LateValue into the row, and into `dependencies.late`.
 * 2. The operation is executed as any other. So far nothing is taken, so what comes of it is a template: equal requests share it, and it is kept.
 * 3. For each request the values are taken, each once, and put into its own copy of the template: by `answerLate`, or, of what is in memory,
 *    by http/serve-request.ts. They are taken whether the operation selects the value or another field of the object.
 * 4. Where an object is gone meanwhile, the operation is executed again, without it.
 * 5. An operation that fails takes none, but for the objects that `/graphql` shows beside the errors (`fillData`). What is executed for its own
 *    caller is no template, but data that plugins may have seen: it is filled in by `fillData`, too.
 */

/** `extensions: { lateKey: ({ id }) => … }` of a root field whose object has a late value: the key of that, by the arguments of the field. */
export const lateKeyOf = (rootField: GraphQLField<unknown, unknown> | undefined) =>
  rootField?.extensions.lateKey as ((args: Readonly<Record<string, unknown>>) => string) | undefined;

/** What an operation selects of root fields whose objects have late values. */
export interface LateFields {
  /** Whether it selects such a field, so that no response serves another request as it is. */
  readonly isLate: boolean;
  /** Whether it selects nothing else. */
  readonly isAllLate: boolean;
  /** The keys of the late values that a response with this data has, by the names of the root fields in it. */
  readonly lateIn: (data: Readonly<Record<string, unknown>>, variables: VariableValues) => ReadonlyMap<string, string>;
}

interface LateRequest {
  readonly operation: Pick<LateFields, 'lateIn'>;
  readonly variables: VariableValues;
}

/** @param roots what is selected of the root type */
export const lateFieldsOf = (rootType: GraphQLObjectType, roots: ReadonlyMap<string, MergedField>): LateFields => {
  const selected = [...roots].map(([key, [{ node }]]) => {
    const field = rootType.getFields()[node.name.value];
    return { key, node, field, lateKey: lateKeyOf(field) };
  });
  return {
    isLate: selected.some(({ lateKey }) => lateKey),
    isAllLate: selected.every(({ node, lateKey }) => lateKey || node.name.value === '__typename'),
    lateIn: (data, variables) =>
      new Map(
        selected.flatMap(({ key, node, field, lateKey }): [string, string][] => {
          if (!field || !lateKey || data[key] === null || data[key] === undefined) return [];
          return [[key, lateKey(getArgumentValues(field, node, variables))]];
        }),
      ),
  };
};

/** An operation that was executed without its late values. */
type Template = Pick<CachedResponse, 'body' | 'status' | 'late'>;

/**
 * Answers one request to an operation with late values.
 * @param find finds or makes the template, as for any operation
 * @param makeAgain makes one for this request alone, of what the database has now
 * @param timeoutMs how long the request waits for its response: then nothing is taken any more
 * @throws ExecutionFailed, AppError SERVICE_UNAVAILABLE
 */
export const answerLate = async (
  request: LateRequest & { readonly form: BodyForm },
  find: () => Promise<Found>,
  makeAgain: () => Promise<Template>,
  timeoutMs: number,
): Promise<Answer> => {
  const taken = new TakenValues(performance.now() + timeoutMs);
  const fill = ({ body, late }: Template) => taken.fill(latin1Of(body), late);
  try {
    const { response: template, outcome } = await find();
    // A stale one is not filled: where a late value can be taken, its row can be read.
    const isStale = outcome === 'stale';
    if (template.status === 404 && !isStale) return { response: template, outcome };
    const body = isStale ? undefined : await fill(template);
    if (body !== undefined) return { status: 200, body, template };
    // What is gone is missing when it is read again.
    const again = await makeAgain();
    const bodyAgain = await fill(again);
    if (bodyAgain === undefined) throw databaseUnavailable(new Error('a row was withdrawn while it was read'));
    return { status: again.status, body: bodyAgain };
  } catch (error) {
    if (!(error instanceof ExecutionFailed) || !error.data || request.form !== GRAPHQL_BODY) throw error;
    throw new ExecutionFailed(error.errors, await fillData(request, error, error.late, taken));
  }
};

/**
 * Takes the late values of a result of graphql-js: beside errors only of what it shows. What is gone meanwhile does not exist.
 * @param late of the execution
 * @returns the data with them
 */
export const fillData = async (
  { operation, variables }: LateRequest,
  { data, errors }: Partial<Pick<ExecutionFailed, 'data' | 'errors'>>,
  late: Dependencies['late'],
  taken = new TakenValues(),
): Promise<Record<string, unknown>> => {
  const template = { ...data };
  const shown = [...operation.lateIn(template, variables)].filter(([, key]) => late.has(key));
  const keys = new Set(shown.map(([, key]) => key));
  const values = await taken.take([...late.values()].filter(({ key }) => !errors || keys.has(key)));
  for (const [name, key] of shown) if (!values.has(key)) template[name] = null;
  return JSON.parse(taken.put(JSON.stringify(template)));
};
