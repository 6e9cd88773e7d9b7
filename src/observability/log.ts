import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { errorRecord } from './error-record.ts';
import { createLineStream } from './line-stream.ts';
import type { RequestRecord } from './request-record.ts';
import { createScrub } from './scrub.ts';
import { visible, visibleJson, visibleLines } from './visible.ts';

/** The log of one request: most never write a line, so it is made when first asked for. */
export type LazyLog = () => Logger;

export const lazyLog = (log: Logger, { origin: { requestId, span } }: RequestRecord): LazyLog => {
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
