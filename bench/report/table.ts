interface Options {
  /** How many of the first columns are text; the others are numbers. */
  readonly textColumns?: number;
}

export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { textColumns = 1 }: Options = {},
): string => {
  const rule = head.map((_, column) => (column < textColumns ? '---' : '--:'));
  return [head, rule, ...rows].map((line) => `| ${line.join(' | ')} |`).join('\n');
};

/** The same for a terminal: every cell of a column as wide as its widest. */
export const textTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
};
