import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino';
import { createScrub, shortened, visible, visibleJson, visibleLines } from './redaction.ts';
import type { RequestContext } from './request-observer.ts';

/** The log of one request: most never write a line, so it is made when first asked for. */
export type LazyLog = () => Logger;

export const lazyLog = (log: Logger, { origin: { requestId, span } }: RequestContext): LazyLog => {
  let child: Logger | undefined;
  return () => {
    child ??= log.child({ requestId, ...(span && { traceId: span.traceId }) });
    return child;
  };
};

interface LogOptions {
  /** A pino level, or `silent`. */
  readonly level: string;
  /** What no line may hold. */
  readonly secrets?: readonly string[];
  /** Which of several processes it is that writes, where they share their output. */
  readonly worker?: number | undefined;
}

/** How every line is made: errors as {@link errorRecord} tells them, without secrets, and without characters that a reader's screen obeys. */
export const logOptions = ({ level, secrets, worker }: LogOptions): LoggerOptions => {
  const scrub = createScrub(secrets);
  return {
    level,
    base: worker === undefined ? null : { worker },
    serializers: { err: (error: unknown) => errorRecord(error) },
    hooks: { streamWrite: (line) => visibleJson(scrub(line)) },
  };
};

/** JSON lines, or on a terminal text that people read. */
export const createLog = async (given: LogOptions): Promise<Logger> => {
  return pino(
    logOptions(given),
    process.stdout.isTTY ? await prettyStream() : createLineStream(given.worker !== undefined),
  );
};

// Loaded only where someone reads it: production starts without.
const prettyStream = async (): Promise<DestinationStream> => {
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true });
  return { write: (line) => void stream.write(forTerminal(line)) };
};

/** What JSON has escaped is written out again on a terminal, where it would move the cursor or begin a line. */
export const forTerminal = (line: string): string =>
  `${JSON.stringify(
    JSON.parse(line, (key, value: unknown) =>
      typeof value !== 'string' ? value : key === 'stack' ? visibleLines(value) : visible(value),
    ),
  )}\n`;

/** Lines that wait for whoever reads them: past that, new ones are dropped. */
const MAX_WAITING_BYTES = 16_777_216;

/** So many are written sooner. */
const MIN_WRITE_BYTES = 16_000;

/** So long lines gather: a busy gateway makes few writes, each of which costs more than ten lines, and waits for none. */
const GATHER_MS = 10;

/** What the system writes into a pipe at one go, however slow its reader: https://man7.org/linux/man-pages/man7/pipe.7.html, PIPE_BUF. */
const ATOMIC_BYTES = 4096;

/**
 * Standard output, for lines by the thousand. What is left is written when the process exits.
 * @param isShared whether other processes write there too: then lines come out whole, for more and smaller writes
 */
const createLineStream = (isShared = false): DestinationStream & { readonly flushSync: () => void } => {
  const sizes = isShared ? { minLength: ATOMIC_BYTES - 1, maxWrite: ATOMIC_BYTES } : { minLength: MIN_WRITE_BYTES };
  const lines = destination({ sync: false, maxLength: MAX_WAITING_BYTES, ...sizes });
  let isGathering = false;
  const flush = (): void => {
    isGathering = false;
    lines.flush();
  };
  return {
    write: (line) => {
      lines.write(line);
      if (isGathering) return;
      isGathering = true;
      setTimeout(flush, GATHER_MS).unref();
    },
    flushSync: () => lines.flushSync(),
  };
};

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
