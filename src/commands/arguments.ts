import { parseArgs, styleText } from 'node:util';
import type { ArgDef, ArgsDef, CommandDef, CommandMeta } from 'citty';
import { GROUPS, type Variable } from '../config/variables.ts';
import { OperatorError } from '../errors.ts';
import { suggest } from '../suggestion.ts';
import { COMMANDS } from './commands.ts';

/** The usual exit code for wrong usage. */
const USAGE_EXIT_CODE = 2;

export const usageError = (message: string): OperatorError => new OperatorError(message, { exitCode: USAGE_EXIT_CODE });

/**
 * Refuses unknown arguments: citty would ignore them, so that `--dryrun` would be a real run.
 * @throws OperatorError that suggests the nearest name
 */
export const checkArguments = (command: string, definitions: ArgsDef, rawArgs: readonly string[]): void => {
  const help = `Run "vitrine ${command} --help".`;
  const named = Object.entries(definitions).filter(([, { type }]) => type !== 'positional');
  const options = Object.fromEntries(
    named.map(([name, { type }]) => [name, { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...rawArgs], options, strict: false, allowPositionals: true, tokens: true });
  const files = Object.values(definitions).find(({ type }) => type === 'positional');
  if (files && files.required !== false && !tokens.some(({ kind }) => kind === 'positional')) {
    throw usageError(`Which file? ${help}`);
  }
  for (const token of tokens) {
    if (token.kind === 'positional' && !files) throw usageError(`"${token.value}" is one too many. ${help}`);
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (!option)
      throw usageError(
        `There is no option ${token.rawName}.${suggest(token.name, Object.keys(options), '--')} ${help}`,
      );
    if (option.type === 'string' && !token.value) throw usageError(`${token.rawName} needs a value. ${help}`);
    if (option.type === 'boolean' && token.value !== undefined)
      throw usageError(`${token.rawName} takes no value. ${help}`);
    const choices = choicesOf(definitions[token.name]);
    if (choices && token.value !== undefined && !choices.includes(token.value))
      throw usageError(
        `${token.rawName} must be one of ${choices.join(', ')}, but is "${token.value}".${suggest(token.value, choices)} ${help}`,
      );
  }
};

/** Checked here because citty's own message always has colour codes. */
const choicesOf = (definition: ArgDef | undefined): readonly string[] | undefined =>
  definition?.type === 'enum' ? definition.options : undefined;

const INTRODUCTION = `Vitrine, the read side of an online shop: products and notices over GraphQL and REST.
Everything else is set up by environment variables: "vitrine serve --help" lists them.`;

// styleText writes no colours if the stream is no terminal or NO_COLOR is set: https://no-color.org
const bold = (text: string): string => styleText('bold', text, { stream: process.stdout });

/** Formats two columns. */
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
  if (name === 'serve') sections.push(...variableSections());
  return sections.join('\n\n');
};

/** Every environment variable: default, meaning, accepted values. */
const variableSections = (): string[] =>
  GROUPS.map(({ title, about, rows }) => {
    const lines = rows.map(
      ([name, row]) =>
        `  ${name}  ${styleText('dim', presetOf(row), { stream: process.stdout })}\n${indented(`${row.description} Takes ${row.value.accepts}.`)}`,
    );
    return [bold(`${title}:`), ...(about ? [indented(about)] : []), ...lines].join('\n');
  });

const presetOf = ({ default: preset, whenUnset, value: { unit } }: Variable): string =>
  `(default: ${plain(whenUnset ?? [preset, unit].filter(Boolean).join(' '))})`;

/** Wraps text for a terminal. */
const indented = (markdown: string): string =>
  (plain(markdown).match(/\S.{0,90}(?=\s|$)/g) ?? []).map((line) => `      ${line}`).join('\n');

const plain = (markdown: string): string => markdown.replaceAll('`', '');

const descriptionOf = async (command: CommandDef<ArgsDef>): Promise<string> =>
  ((await resolve(command.meta)) as CommandMeta | undefined)?.description ?? '';

/** citty accepts a value, a promise or a function. */
const resolve = async <T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> =>
  typeof value === 'function' ? (value as () => T | Promise<T>)() : value;
