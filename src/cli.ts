#!/usr/bin/env node
import { stripVTControlCharacters } from 'node:util';
import { runCommand } from 'citty';
import packageJson from '../package.json' with { type: 'json' };
import { COMMANDS, checkArguments, commandHelp, mainHelp, usageError } from './commands/commands.ts';
import { keepCompiled } from './commands/compile-cache.ts';
import { OperatorError } from './errors.ts';
import { createScrub, errorRecord, visibleLines } from './observability/log.ts';
import { suggest } from './suggestion.ts';

// The commands are imported after the compile cache is on: from the second start on, 360 ms of CPU instead of 600.
keepCompiled(process.env);

/**
 * Lets V8 compile `process.nextTick` while all its arguments have one shape. Node makes an object for each call, by a literal with computed keys; once V8
 * has seen two shapes before it compiles that, as happens while modules are loaded, it stays on a slow path. Without this a response from memory costs
 * 11 % more CPU time (docs/fast-path.md).
 */
const compileNextTick = (): void => {
  const nothing = (): void => {};
  for (let calls = 0; calls < 2000; calls += 1) process.nextTick(nothing);
};

if (process.argv[2] === 'serve') compileNextTick();

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** The name of the command, which may be of two words, and what follows it. */
const split = ([first, second, ...rest]: readonly string[]): [name: string | undefined, rawArgs: readonly string[]] => {
  const rawArgs = second === undefined ? [] : [second, ...rest];
  const name = `${first} ${second}`;
  return Object.hasOwn(COMMANDS, name) ? [name, rest] : [first, rawArgs];
};

const run = async (args: readonly string[]): Promise<void> => {
  const [name, rawArgs] = split(args);
  if (name === '--version' || name === '-v') return console.log(packageJson.version);
  if (name === undefined || isHelp(name) || (name === 'help' && rawArgs.length === 0))
    return console.log(await mainHelp());
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    const longer = Object.keys(COMMANDS).find((each) => each.startsWith(`${name} `));
    const hint = longer ? ` Did you mean ${longer}?` : suggest(name, Object.keys(COMMANDS));
    throw usageError(`There is no command ${name}.${hint} Run "vitrine --help".`);
  }
  const command = await load();
  if (rawArgs.some(isHelp)) return console.log(await commandHelp(name, command));
  checkArguments(name, command.args ?? {}, rawArgs);
  await runCommand(command, { rawArgs: [...rawArgs] });
};

try {
  await run(process.argv.slice(2));
} catch (error) {
  // An operator's fault is explained by its message; any other needs its stack.
  const isMisuse = error instanceof Error && error.name === 'CLIError';
  const isFamiliar = isMisuse || error instanceof OperatorError;
  // citty always colours its messages, also without a terminal.
  const message = isMisuse ? stripVTControlCharacters(error.message) : String((error as Error)?.message);
  console.error(createScrub()(isFamiliar ? visibleLines(message) : errorRecord(error).stack));
  process.exit(error instanceof OperatorError ? error.exitCode : isMisuse ? 2 : 1);
}
