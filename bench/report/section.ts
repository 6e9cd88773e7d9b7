import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface Section {
  /** In docs/. */
  readonly page: string;
  /** The script that measures: `bench:writes`. */
  readonly script: string;
}

const marksOf = ({ script }: Section): { begin: string; end: string } => ({
  begin: `<!-- ${script} -->`,
  end: `<!-- /${script} -->`,
});

/** Above and below are words of people; between the marks is what was measured. */
export const markSection = (section: Section, blocks: readonly string[]): string => {
  const { begin, end } = marksOf(section);
  return [begin, ...blocks, end].join('\n\n');
};

/** Puts what was measured into its page, in the place of what is there. @throws Error if the page has no place for it */
export const writeSection = async (section: Section, marked: string): Promise<void> => {
  const file = path.join(import.meta.dirname, '../../docs', section.page);
  const { begin, end } = marksOf(section);
  const text = await readFile(file, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`docs/${section.page} needs a line ${begin} and, below it, ${end}.`);
  await writeFile(file, `${before}${marked}${after}`);
};
