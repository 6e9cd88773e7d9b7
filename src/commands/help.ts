import { styleText } from 'node:util';
import type { ArgsDef, CommandDef, CommandMeta } from 'citty';
import { COMMANDS } from './commands.ts';

const INTRODUCTION = `Vitrine, the read side of an online shop: products and notices over GraphQL and REST.
Everything else is set up by environment variables: see README.md.`;

// styleText leaves colours out where the stream is no terminal or NO_COLOR is set: https://no-color.org
const bold = (text: string): string => styleText('bold', text, { stream: process.stdout });

/** Lines of two columns. */
const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
};

/** What `--help` alone prints: every command with the first line of its description. */
export const mainHelp = async (): Promise<string> => {
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => {
      const [summary = ''] = (await descriptionOf(await load())).split('\n');
      return [name, summary] as const;
    }),
  );
  const usage = `${bold('Usage:')} vitrine <command> [options]`;
  const more = 'vitrine <command> --help tells more, vitrine --version which version this is.';
  return [INTRODUCTION, usage, `${bold('Commands:')}\n${table(rows)}`, more].join('\n\n');
};

/** What `--help` prints after a command. */
export const commandHelp = async (name: string, command: CommandDef<ArgsDef>): Promise<string> => {
  const args = Object.entries((await resolve(command.args)) ?? {});
  const positionals = args.filter(([, { type }]) => type === 'positional');
  const options = args.filter(([, { type }]) => type !== 'positional');
  const usage = [
    'vitrine',
    name,
    ...positionals.map(([, { valueHint }]) => valueHint),
    options.length > 0 && '[options]',
  ];
  const rows = [
    ...positionals.map(([, { valueHint, description }]) => [valueHint ?? '', description ?? ''] as const),
    ...options.map(([option, { valueHint, description, default: fallback }]) => {
      const preset = fallback === undefined ? '' : ` Without it: ${fallback}.`;
      return [`--${option}${valueHint ? ` ${valueHint}` : ''}`, `${description ?? ''}${preset}`] as const;
    }),
  ];
  const sections = [await descriptionOf(command), `${bold('Usage:')} ${usage.filter(Boolean).join(' ')}`];
  if (rows.length > 0) sections.push(`${bold('Options:')}\n${table(rows)}`);
  return sections.join('\n\n');
};

const descriptionOf = async (command: CommandDef<ArgsDef>): Promise<string> =>
  ((await resolve(command.meta)) as CommandMeta | undefined)?.description ?? '';

/** citty lets what it is given be a value, a promise or a function. */
const resolve = async <T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> =>
  typeof value === 'function' ? (value as () => T | Promise<T>)() : value;
