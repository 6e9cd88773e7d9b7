import type { Results } from '../benchmark.ts';
import { noiseOf } from './noise.ts';
import type { Row } from './summary.ts';
import { textTable } from './table.ts';
import { tablesOf } from './tables.ts';

/** All tables for the terminal. */
export const toText = (results: Results, rows: readonly Row[]): string =>
  [
    ...tablesOf(results, rows).map(({ title, head, rows: cells }) => textTable([title, ...head], cells)),
    ...noiseOf(results),
  ].join('\n\n');
