import type { FirstAsked } from './first-asked.ts';

/** One request, of the kinds that the benchmark makes: GET of a REST path, or POST of a GraphQL operation as JSON. */
export type Call =
  | { readonly method: 'GET'; readonly target: string; readonly body?: never }
  | { readonly method: 'POST'; readonly target: '/graphql'; readonly body: string };

/** The HTTP method that a server is asked with. */
export type Method = Call['method'];

/** One question, in both forms, and its answer. */
export interface Question {
  /** The REST path and its parameters; undefined where only GraphQL can ask it. */
  readonly target?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The values of {@link Workload.expectedSql}. */
  readonly values: readonly unknown[];
  /** Where they are not the workload's. */
  readonly query?: string;
  readonly expectedSql?: string;
}

export interface Workload {
  /** Stands for it on the command line and in tables. */
  readonly code: string;
  readonly title: string;
  /** The GraphQL form. Where there is a REST form, its one root field has what REST answers. */
  readonly query: string;
  /** SQL in its plainest form that gives the right answer as one JSON value: the REST body, or the GraphQL data. */
  readonly expectedSql: string;
  /** What is asked in random order. */
  readonly questions: readonly Question[];
  /** What is asked of servers that answer from memory, when that is not all: as much as is said to be warm. */
  readonly warmQuestions?: readonly Question[];
  /** What a server is asked that knows the rows, and was hardly ever asked for the same answer before. */
  readonly first?: FirstAsked;
  /** Asked while products change. */
  readonly isMixed?: boolean;
  /** Each answer adds a view to a notice. */
  readonly countsViews?: boolean;
}

export const callOf = (workload: Workload, question: Question, method: Method): Call => {
  const { target, variables } = question;
  const { query } = question.query === undefined ? workload : question;
  if (method === 'POST') return { method: 'POST', target: '/graphql', body: JSON.stringify({ query, variables }) };
  if (target === undefined) throw new Error('This question has no REST form.');
  return { method: 'GET', target };
};

/** Whether there is a REST form. */
export const hasRest = ({ questions }: Workload): boolean => questions[0]?.target !== undefined;
