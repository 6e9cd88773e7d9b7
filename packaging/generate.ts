/**
 * Writes the files that are made from the code: `npm run generate`. With `--check` it compares them instead, and fails where one is out of date.
 */

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { GROUPS, ROWS, type Variable } from '../src/config/variables.ts';
import { createSchema, printSdl } from '../src/schema.ts';
import { drawDemoPictures } from './demo-pictures/draw.ts';

const ROOT = path.join(import.meta.dirname, '..');

/** docs/configuration.md */
const configurationPage = (): string => {
  const isWhole = ({ rows }: Group): boolean => rows.every(([, { isProgramOnly }]) => isProgramOnly);
  const programOnly = GROUPS.flatMap((group) =>
    isWhole(group)
      ? [`[${group.title}](#${group.title.toLowerCase()})`]
      : group.rows.filter(([, { isProgramOnly }]) => isProgramOnly).map(([name]) => `\`${name}\``),
  );
  return `<!-- Written by "npm run generate" from src/config/variables.ts: edit that. -->

# Configuration

Every environment variable; \`vitrine serve --help\` prints the same, with the bounds of each number. An empty value counts as absent. Switches also take \`on\`/\`off\`, \`yes\`/\`no\` or \`1\`/\`0\`.

- A bad value stops the start, with one line for each fault.
- A misspelt name is a warning. It stops the start if the right variable is not set and would close something to others, as \`HOST\` or \`ACCESS_TOKENS\`.
- \`npm start\`, the other scripts of npm and \`vitrine\` also read \`.env\` in the working directory; the environment wins. \`node src/cli.ts\` (the image, the systemd unit) does not. Another file: \`npx -c 'node --env-file=shop.env bin/vitrine.js serve'\`.
- The [library](library.md) takes the variables as options in camel case, but not those of ${programOnly.join(', ')}.

${GROUPS.map(toSection).join('\n\n')}
`;
};

type Group = (typeof GROUPS)[number];

const toSection = ({ title, about, rows }: Group): string =>
  [
    `## ${title}\n`,
    ...(about ? [`${about}\n`] : []),
    '| variable | default | meaning |',
    '|---|---|---|',
    ...rows.map(([name, row]) => `| \`${name}\` | ${pageDefault(row)} | ${row.description}${takenBy(name, row)} |`),
  ].join('\n');

/** Words and notations; the bounds of a number are said by the help and by the message for a bad value. */
const takenBy = (name: string, { value }: Variable): string => {
  if (/^an? |^(?:text|true or false)$/.test(value.accepts)) return '';
  const same = ROWS.find((row) => row[1].value === value && value.accepts.length > 60)?.[0] ?? name;
  return same === name ? ` Takes ${value.accepts.replaceAll('*', '\\*')}.` : ` As \`${same}\`.`;
};

const pageDefault = ({ default: preset, libraryDefault, whenUnset, value: { unit } }: Variable): string => {
  const own = whenUnset ?? `\`${preset}\`${unit ? ` ${unit}` : ''}`;
  return libraryDefault === undefined ? own : `${own}; library: \`${libraryDefault}\``;
};

const PICTURES = 'prisma/demo/pictures';

const texts = new Map([
  ['schema.graphql', printSdl(createSchema())],
  ['docs/configuration.md', configurationPage()],
  ...[...drawDemoPictures()].map(([name, text]) => [`${PICTURES}/${name}`, text] as const),
]);
const drawn = (await readdir(path.join(ROOT, PICTURES))).filter((name) => name.endsWith('.svg'));
const names = new Set([...texts.keys(), ...drawn.map((name) => `${PICTURES}/${name}`)]);

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

for (const name of names) {
  const file = path.join(ROOT, name);
  const text = texts.get(name);
  const isThere = await readFile(file, 'utf8').catch(() => undefined);
  if (isThere === text) continue;
  if (!values.check) await (text === undefined ? rm(file) : writeFile(file, text));
  else {
    console.error(`${name} is out of date. Run "npm run generate" and commit the result.`);
    process.exitCode = 1;
  }
}
