import { parseArgs, styleText } from 'node:util';
import { type ArgsDef, type CommandDef, type CommandMeta, runCommand } from 'citty';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import {
  type Config,
  faulty,
  readConfig,
  secretsOf,
  unknownClosingVariables,
  unknownVariables,
} from '../config/config.ts';
import { GROUPS, type Variable } from '../config/variables.ts';
import { OperatorError } from '../errors.ts';
import { createLog } from '../observability/log.ts';
import { suggest } from '../suggestion.ts';

/** Every command, loaded on demand. */
// biome-ignore lint/suspicious/noExplicitAny: each command has arguments of its own
const COMMANDS: Readonly<Record<string, () => Promise<CommandDef<any>>>> = {
  serve: () => import('./serve.ts').then((module) => module.serveCommand),
  migrate: () => import('./database.ts').then((module) => module.migrateCommand),
  seed: () => import('./database.ts').then((module) => module.seedCommand),
  import: () => import('./import.ts').then((module) => module.importCommand),
  doctor: () => import('./doctor.ts').then((module) => module.doctorCommand),
  schema: () => import('./generate.ts').then((module) => module.schemaCommand),
  openapi: () => import('./generate.ts').then((module) => module.openapiCommand),
};

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** Runs the command that is named first. @param args those of the process, without Node and the program */
export const runCommandLine = async ([name, ...rawArgs]: readonly string[]): Promise<void> => {
  if (name === '--version' || name === '-v') return console.log(packageJson.version);
  if (name === undefined || isHelp(name) || (name === 'help' && rawArgs.length === 0))
    return console.log(await mainHelp());
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    throw usageError(`There is no command ${name}.${suggest(name, Object.keys(COMMANDS))} Run "vitrine --help".`);
  }
  const command = await load();
  if (rawArgs.some(isHelp)) return console.log(await commandHelp(name, command));
  checkArguments(name, command.args ?? {}, rawArgs);
  await runCommand(command, { rawArgs });
};

/** With the usual exit code for wrong usage. */
export const usageError = (message: string): OperatorError => new OperatorError(message, { exitCode: 2 });

/** What was given to a command, in its order: citty has only the last of an option that is repeated. */
export const tokensOf = (definitions: ArgsDef, args: readonly string[]) => {
  const named = Object.entries(definitions).filter(([, { type }]) => type !== 'positional');
  const options = Object.fromEntries(
    named.map(([name, { type }]) => [name, { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) }]),
  );
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens;
};

/**
 * Refuses unknown arguments: citty would ignore them, so that `--dryrun` would be a real run.
 * @throws OperatorError that suggests the nearest name
 */
const checkArguments = (command: string, definitions: ArgsDef, rawArgs: readonly string[]): void => {
  const misuse = (message: string): OperatorError => usageError(`${message} Run "vitrine ${command} --help".`);
  const tokens = tokensOf(definitions, rawArgs);
  const files = Object.values(definitions).find(({ type }) => type === 'positional');
  if (files && files.required !== false && !tokens.some(({ kind }) => kind === 'positional'))
    throw misuse('Which file?');
  for (const token of tokens) {
    if (token.kind === 'positional' && !files) throw misuse(`"${token.value}" is one too many.`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const names = Object.keys(definitions).filter((each) => definitions[each]?.type !== 'positional');
    const option = names.includes(name) ? definitions[name] : undefined;
    if (!option) throw misuse(`There is no option ${rawName}.${suggest(name, names, '--')}`);
    if (option.type === 'boolean' && value !== undefined) throw misuse(`${rawName} takes no value.`);
    if (option.type !== 'boolean' && !value) throw misuse(`${rawName} needs a value.`);
    // Checked here because citty's own message always has colour codes.
    const choices = option.type === 'enum' ? option.options : undefined;
    if (choices && value !== undefined && !choices.includes(value))
      throw misuse(`${rawName} must be one of ${choices.join(', ')}, but is "${value}".${suggest(value, choices)}`);
  }
};

/**
 * What a command that uses the database begins with: the configuration, and a log that knows its secrets. Logs a warning for each misspelt variable:
 * without it, `DATABSE_URL=… vitrine migrate` would silently migrate the embedded database.
 * @param isServing whether others can call what is started: then a misspelt variable that closes something is a fault
 * @throws OperatorError with one line for each fault
 */
export const readEnvironment = async (
  environment: NodeJS.ProcessEnv,
  isServing = false,
): Promise<{ config: Config; log: Logger }> => {
  const config = readConfig(environment);
  const closing = isServing ? unknownClosingVariables(environment) : [];
  if (closing.length > 0)
    throw faulty(
      closing.map(
        (warning) => `${warning} That one closes something, so nothing is started: correct the name, or remove it.`,
      ),
    );
  const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });
  for (const warning of unknownVariables(environment)) log.warn(warning);
  return { config, log };
};

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
const mainHelp = async (): Promise<string> => {
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
const commandHelp = async (name: string, command: CommandDef<ArgsDef>): Promise<string> => {
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
