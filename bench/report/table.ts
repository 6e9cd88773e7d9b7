interface Options {
  /** How many of the first columns are text; the others are numbers. */
  readonly textColumns?: number;
}

/** Every cell of a column as wide as its widest. */
const padded = (rows: readonly (readonly string[])[], textColumns: number): { cells: string[][]; widths: number[] } => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column < textColumns ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return { cells: rows.map((row) => row.map(pad)), widths };
};

export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { textColumns = 1 }: Options = {},
): string => {
  const { cells, widths } = padded([head, ...rows], textColumns);
  const rule = widths.map((width, column) => (column < textColumns ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const [first = [], ...others] = cells;
  return [first, rule, ...others].map((line) => `| ${line.join(' | ')} |`).join('\n');
};

/** The same for a terminal. */
export const textTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  padded([head, ...rows], 1)
    .cells.map((line) => line.join('  '))
    .join('\n');
