import { visible } from '../../observability/visible.ts';
import type { Imported } from './import-file.ts';
import { type Fault, showValue } from './value.ts';

/** A fault, as a line for whoever watches. */
export const reportFault = (source: string, { line, column, value, reason }: Fault): void => {
  const place = `${source}:${line}${column ? `, ${column}` : ''}`;
  const shown = value ? ` (${JSON.stringify(showValue(value)).slice(0, MAX_SHOWN)})` : '';
  console.error(visible(`${place}: ${reason}${shown}`));
};

const MAX_SHOWN = 80;

const NOUNS = { product: 'products', category: 'categories', notice: 'notices' };

/** What has become of a file. */
export const reportFile = (source: string, imported: Imported, isDryRun: boolean): void => {
  const { format, container, created, changed, unchanged, createdCategories, unusedColumns } = imported;
  const counts = `${created} new, ${changed} changed, ${unchanged} unchanged`;
  const categories =
    createdCategories > 0 ? `; ${createdCategories} ${createdCategories === 1 ? 'category' : 'categories'} made` : '';
  if (unusedColumns.length > 0) console.error(visible(`${source}: not used: ${unusedColumns.join(', ')}`));
  const trial = isDryRun ? 'dry run, nothing is kept: ' : '';
  console.log(`${source}: ${trial}${NOUNS[format.kind]} (${format.name}, ${container}): ${counts}${categories}`);
};

export const reportRejects = (rows: number, path: string): void => {
  console.error(`${rows} ${rows === 1 ? 'row was' : 'rows were'} rejected: see ${path}`);
};
