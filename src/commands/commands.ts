import { type ParseArgsOptionDescriptor, parseArgs, styleText } from 'node:util';
import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import { type Config, faulty, findMisspellings, readConfig } from '../config/config.ts';
import { GROUPS, type Variable } from '../config/variables.ts';
import { OperatorError } from '../errors.ts';
import { createLog } from '../observability/log.ts';
import { suggest } from '../suggestion.ts';

/** An option as Node's `parseArgs` reads it, and `--help` shows it. */
export interface Option extends ParseArgsOptionDescriptor {
  readonly description: string;
  /** What stands for its value in the help. */
  readonly valueHint?: string;
  /** The only values that are accepted. */
  readonly choices?: readonly string[];
}

type Options = Readonly<Record<string, Option>>;

export interface Command<Given extends Options> {
  /** The first line is the summary. */
  readonly description: string;
  /** The files that it takes. @default it takes none */
  readonly files?: { readonly valueHint: string; readonly description: string };
  readonly options?: Given;
  readonly run: (values: OptionValues<Given>, files: readonly string[]) => Promise<void>;
}

/** As Node's `parseArgs` types them. */
export type OptionValues<Given extends Options> = ReturnType<
  typeof parseArgs<{ options: Given; strict: true }>
>['values'];

/** Gives `run` the types of the options. */
export const defineCommand = <const Given extends Options>(command: Command<Given>): Command<Given> => command;

/** Every command, loaded on demand. */
// biome-ignore lint/suspicious/noExplicitAny: each command has options of its own
const COMMANDS: Readonly<Record<string, () => Promise<Command<any>>>> = {
  serve: () => import('./serve.ts').then((module) => module.serveCommand),
  migrate: () => import('./database.ts').then((module) => module.migrateCommand),
  seed: () => import('./database.ts').then((module) => module.seedCommand),
  import: () => import('./import.ts').then((module) => module.importCommand),
  doctor: () => import('./doctor.ts').then((module) => module.doctorCommand),
};

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** Runs the command that is named first. @param args those of the process, without Node and the program */
export const runCommandLine = async ([name, ...args]: readonly string[]): Promise<void> => {
  if (name === '--version' || name === '-v') return console.log(packageJson.version);
  if (name === undefined || isHelp(name) || (name === 'help' && args.length === 0))
    return console.log(await mainHelp());
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    throw usageError(`There is no command ${name}.${suggest(name, Object.keys(COMMANDS))} Run "vitrine --help".`);
  }
  const command = await load();
  if (args.some(isHelp)) return console.log(commandHelp(name, command));
  const { values, positionals } = parse(name, command, args);
  await command.run(values, positionals);
};

/** With the usual exit code for wrong usage. */
export const usageError = (message: string): OperatorError => new OperatorError(message, { exitCode: 2 });

/** @throws OperatorError that suggests the nearest name */
const parse = (command: string, { files, options = {} }: Command<Options>, args: readonly string[]) => {
  // Not strict, because the messages of `parseArgs` name no command and suggest nothing.
  const parsed = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const { tokens, positionals } = parsed;
  const misuse = (message: string): OperatorError => usageError(`${message} Run "vitrine ${command} --help".`);
  if (files && positionals.length === 0) throw misuse('Which file?');
  for (const token of tokens) {
    if (token.kind === 'positional' && !files) throw misuse(`"${token.value}" is one too many.`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw misuse(`There is no option ${rawName}.${suggest(name, Object.keys(options), '--')}`);
    if (option.type === 'boolean' && value !== undefined) throw misuse(`${rawName} takes no value.`);
    if (option.type === 'string' && !value) throw misuse(`${rawName} needs a value.`);
    const { choices } = option;
    if (choices && value !== undefined && !choices.includes(value))
      throw misuse(`${rawName} must be one of ${choices.join(', ')}, but is "${value}".${suggest(value, choices)}`);
  }
  return parsed;
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
  const misspellings = findMisspellings(environment);
  const opening = misspellings.filter(({ isOpening }) => isServing && isOpening);
  if (opening.length > 0)
    throw faulty(
      opening.map(
        ({ warning }) => `${warning} That one closes something, so nothing is started: correct the name, or remove it.`,
      ),
    );
  const log = await createLog(config);
  for (const { warning } of misspellings) log.warn(warning);
  return { config, log };
};

const INTRODUCTION = `Vitrine, the read side of an online shop: products and notices over GraphQL and REST.
It is configured by environment variables: "vitrine serve --help" lists them.`;

// styleText writes no colours if the standard output is no terminal or NO_COLOR is set: https://no-color.org
const bold = (text: string): string => styleText('bold', text);

/** Formats two columns. */
const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
};

/** What `--help` alone prints: every command with the first line of its description. */
const mainHelp = async (): Promise<string> => {
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => {
      const [summary = ''] = (await load()).description.split('\n');
      return [name, summary] as const;
    }),
  );
  const usage = `${bold('Usage:')} vitrine <command> [options]`;
  const more = 'vitrine <command> --help tells more, vitrine --version which version this is.';
  return [INTRODUCTION, usage, `${bold('Commands:')}\n${table(rows)}`, more].join('\n\n');
};

/** What `--help` prints after a command. */
const commandHelp = (name: string, { description, files, options = {} }: Command<Options>): string => {
  const rows = Object.entries(options).map(
    ([option, { valueHint, description, default: preset }]): [string, string] => {
      const without = preset === undefined ? '' : ` Without it: ${preset}.`;
      return [`--${option}${valueHint ? ` ${valueHint}` : ''}`, `${description}${without}`];
    },
  );
  const usage = ['vitrine', name, files?.valueHint, rows.length > 0 && '[options]'].filter(Boolean).join(' ');
  if (files) rows.unshift([files.valueHint, files.description]);
  const sections = [description, `${bold('Usage:')} ${usage}`];
  if (rows.length > 0) sections.push(`${bold('Options:')}\n${table(rows)}`);
  if (name === 'serve') sections.push(...variableSections());
  return sections.join('\n\n');
};

/** Every environment variable: default, meaning, accepted values. */
const variableSections = (): string[] =>
  GROUPS.map(({ title, about, rows }) => {
    const lines = rows.map(
      ([name, row]) =>
        `  ${name}  ${styleText('dim', presetOf(row))}\n${indented(`${row.description} Takes ${row.value.accepts}.`)}`,
    );
    return [bold(`${title}:`), ...(about ? [indented(about)] : []), ...lines].join('\n');
  });

const presetOf = ({ default: preset, whenUnset, value: { unit } }: Variable): string =>
  `(default: ${plain(whenUnset ?? [preset, unit].filter(Boolean).join(' '))})`;

/** Wraps text for a terminal. */
const indented = (markdown: string): string =>
  (plain(markdown).match(/\S.{0,90}(?=\s|$)/g) ?? []).map((line) => `      ${line}`).join('\n');

const plain = (markdown: string): string => markdown.replaceAll('`', '');
