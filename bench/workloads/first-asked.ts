import type { Question } from './workload.ts';

/** Whole numbers from the first to the second. */
type Range = readonly [from: number, to: number];

/** Questions of so many kinds that hardly one is asked twice: documents that differ in their names, with random arguments. */
export interface FirstAsked {
  /** Asked once each before, so that the rows are known. */
  readonly rows: readonly Question[];
  /** One of each document, as random.lua reads it: `<1-20>` stands for a number from 1 to 20. */
  readonly templates: readonly string[];
  /** Random ones, of each document. */
  readonly draw: () => Question[];
}

interface Kind {
  /** The names of documents begin so. */
  readonly query: string;
  readonly variables: Readonly<Record<string, string | Range | readonly Range[]>>;
  readonly expectedSql?: string;
  readonly valuesOf: (variables: Readonly<Record<string, unknown>>) => readonly unknown[];
}

/** @param count of documents, which a server compiles and keeps: times the arguments, many more than the answers that it keeps */
export const firstAsked = (rows: readonly Question[], kinds: readonly Kind[], count = 48): FirstAsked => {
  const documents = Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] as Kind;
    return { ...kind, query: kind.query.replace(/^query \w*/, `query First${index}`) };
  });
  return {
    rows,
    templates: documents.map(({ query, variables }) =>
      JSON.stringify({ query, variables: fill(variables, ([from, to]) => `<${from}-${to}>`) }).replace(
        /"(<\d+-\d+>)"/g,
        '$1',
      ),
    ),
    draw: () =>
      documents.map(({ query, variables: ranges, expectedSql, valuesOf }) => {
        const variables = fill(ranges, ([from, to]) => from + Math.floor(Math.random() * (to - from + 1)));
        return { query, variables, values: valuesOf(variables), ...(expectedSql !== undefined && { expectedSql }) };
      }),
  };
};

const fill = (variables: Kind['variables'], valueIn: (range: Range) => unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      return [name, isRange(value) ? valueIn(value) : value.map(valueIn)];
    }),
  );

const isRange = (value: Range | readonly Range[]): value is Range => typeof value[0] === 'number';
