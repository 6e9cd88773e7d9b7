import { shortened, visible } from './visible.ts';

/** What the log says of an error: what and where, and nothing of what was asked. */
export interface ErrorRecord {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: ErrorRecord;
  readonly [name: string]: unknown;
}

/** A driver puts values of queries into its messages. */
const MAX_MESSAGE_CHARS = 500;
const MAX_CAUSES = 5;

// Of the drivers' own properties those that name things; `detail`, `where`, `parameters`, `input` and the like hold values.
const NAMES = [
  'code',
  'errno',
  'syscall',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'clientVersion',
];

/** The serializer of `err`. @param error anything that was thrown */
export const errorRecord = (error: unknown, depth = 0): ErrorRecord => {
  if (!(error instanceof Error)) return { type: typeof error, message: clean(String(error)), stack: '' };
  const type = clean(error.constructor.name || error.name);
  const message = clean(error.message);
  const fields = error as unknown as Record<string, unknown>;
  const named = NAMES.filter((name) => ['string', 'number'].includes(typeof fields[name]));
  const cause = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  return {
    type,
    message,
    stack: [`${type}: ${message}`, ...framesOf(error)].join('\n'),
    ...Object.fromEntries(named.map((name) => [name, clean(String(fields[name]))])),
    ...(cause === undefined || depth >= MAX_CAUSES ? {} : { cause: errorRecord(cause, depth + 1) }),
  };
};

const clean = (text: string): string => visible(shortened(text, MAX_MESSAGE_CHARS));

/** The lines of the stack below the message, which may have any lines of its own. */
const framesOf = ({ stack = '', message }: Error): string[] =>
  stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .map(clean);
