import { parseArgs } from 'node:util';
import type { ArgsDef } from 'citty';
import { OperatorError } from '../errors.ts';

/** What most tools end with when they are called in a way that they do not know. */
const USAGE_EXIT_CODE = 2;

export const usageError = (message: string): OperatorError => new OperatorError(message, { exitCode: USAGE_EXIT_CODE });

/**
 * Refuses what a command does not know: citty would pass over it, and a `--dryrun` would be a real run.
 * @throws OperatorError with the nearest thing that there is
 */
export const checkArguments = (command: string, definitions: ArgsDef, rawArgs: readonly string[]): void => {
  const help = `Run "vitrine ${command} --help".`;
  const named = Object.entries(definitions).filter(([, { type }]) => type !== 'positional');
  const options = Object.fromEntries(
    named.map(([name, { type }]) => [name, { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...rawArgs], options, strict: false, allowPositionals: true, tokens: true });
  const takesFiles = named.length < Object.keys(definitions).length;
  let positionals = 0;
  for (const token of tokens) {
    if (token.kind === 'positional') positionals += 1;
    if (token.kind === 'positional' && !takesFiles) throw usageError(`"${token.value}" is one too many. ${help}`);
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (!option)
      throw usageError(
        `There is no option ${token.rawName}.${suggest(token.name, Object.keys(options), '--')} ${help}`,
      );
    if (option.type === 'string' && !token.value) throw usageError(`${token.rawName} needs a value. ${help}`);
    if (option.type === 'boolean' && token.value !== undefined)
      throw usageError(`${token.rawName} takes no value. ${help}`);
  }
  if (takesFiles && positionals === 0) throw usageError(`Which file? ${help}`);
};

/** " Did you mean …?", where one of the names is near. */
export const suggest = (given: string, names: readonly string[], prefix = ''): string => {
  const [nearest] = names
    .map((name) => ({ name, distance: editDistance(given.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return nearest ? ` Did you mean ${prefix}${nearest.name}?` : '';
};

/** Levenshtein's. */
const editDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};
