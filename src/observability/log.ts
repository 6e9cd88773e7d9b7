import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino';

/** The logger of a request. */
export type LazyLog = () => Logger;

interface LogOptions {
  /** A pino level, or `silent`. */
  readonly logLevel: string;
  /** Secrets that no line may contain. */
  readonly secrets?: readonly string[];
  /** Number of the worker, where several share the output. */
  readonly worker?: number | undefined;
}

/** Format of every line: errors as {@link errorRecord} writes them, no secrets, no control characters. */
export const logOptions = ({ logLevel, secrets, worker }: LogOptions): LoggerOptions => {
  const scrub = createScrub(secrets);
  return {
    level: logLevel,
    base: worker === undefined ? null : { worker },
    serializers: { err: (error: unknown) => errorRecord(error) },
    hooks: { streamWrite: (line) => visibleLines(scrub(line)) },
  };
};

/** JSON lines, or readable text on a terminal. */
export const createLog = async (given: LogOptions): Promise<Logger> =>
  pino(logOptions(given), process.stdout.isTTY ? await prettyStream() : lineStream(given.worker !== undefined));

// Loaded only for a terminal: production starts without it.
const prettyStream = async (): Promise<DestinationStream> => {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true });
  return { write: (line) => void stream.write(forTerminal(line)) };
};

/** Readable output undoes JSON's escapes, so control characters are escaped again: they would move the cursor or begin a line. */
export const forTerminal = (line: string): string =>
  `${JSON.stringify(
    JSON.parse(line, (key, value: unknown) =>
      typeof value !== 'string' ? value : key === 'stack' ? visibleLines(value) : visible(value),
    ),
  )}\n`;

/** Bytes that may wait for a slow reader. Beyond it, new lines are dropped. */
const MAX_WAITING_BYTES = 16_777_216;

/** Bytes that are written without waiting for more: a write costs more than ten lines. */
const MIN_WRITE_BYTES = 16_000;

const WRITE_INTERVAL_MS = 20;

/** Bytes that the system writes into a pipe atomically (PIPE_BUF): https://man7.org/linux/man-pages/man7/pipe.7.html */
const ATOMIC_BYTES = 4096;

/** Buffered standard output. @param isShared whether other processes write to it too: then each write is atomic, and writes are more and smaller */
const lineStream = (isShared: boolean): DestinationStream =>
  destination({
    sync: false,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: WRITE_INTERVAL_MS,
    ...(isShared ? { minLength: ATOMIC_BYTES - 1, maxWrite: ATOMIC_BYTES } : { minLength: MIN_WRITE_BYTES }),
  });

/** What is logged of an error: kind, message and stack, but no value of a query. */
export interface ErrorRecord {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly cause?: ErrorRecord;
  readonly [name: string]: unknown;
}

/** Messages of a database driver contain values of queries. */
const MAX_MESSAGE_CHARS = 500;
const MAX_CAUSES = 5;

// Properties of driver errors that hold names. Others (`detail`, `where`, `parameters`, `input`) hold values.
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

/** The stack without the message, which may have several lines. */
const framesOf = ({ stack = '', message }: Error): string[] =>
  stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .map(clean);

/** Replaces the secrets in a text. */
export type Scrub = (text: string) => string;

const HIDDEN = '[secret]';

/** Shorter secrets are not replaced: they occur in texts by chance, and are easier to guess than to find in a log. */
const MIN_SECRET_CHARS = 8;

/** Secrets by form: the password in a URL, the credentials of a header, a JSON Web Token. */
const FORMS: readonly RegExp[] = [
  /(?<=:\/\/[^\s/:@"'\\]*:)[^\s"'\\]+(?=@)/g,
  /(?<=\b(?:[Bb]earer|[Bb]asic)\s)\s*[\w.~+/-]{16,}=*/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** @param secrets texts to replace everywhere, also in their JSON and URL spellings */
export const createScrub = (secrets: readonly string[] = []): Scrub => {
  const spellings = secrets
    .filter((secret) => secret.length >= MIN_SECRET_CHARS)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const known = [...new Set(spellings)];
  return (text) => {
    let clean = text;
    for (const secret of known) if (clean.includes(secret)) clean = clean.replaceAll(secret, HIDDEN);
    return FORMS.reduce((text, form) => text.replace(form, HIDDEN), clean);
  };
};

// C0 (but line feeds) and C1 control characters, line and paragraph separators, and marks of text direction:
// they act on a terminal, and can make one line look like two.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is about control characters
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text with every control character escaped but line feeds. */
export const visibleLines = (text: string): string => text.replace(CONTROL, toEscape);

/** The same in one line. */
export const visible = (text: string): string => visibleLines(text).replaceAll('\n', toEscape);

/** A path is logged and traced up to here. */
export const MAX_PATH_CHARS = 256;

/** The first `max` characters of a text, and how many were cut. */
export const shortened = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}… (${text.length - maxChars} more)` : text;
