import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { RequestRecord } from './request-record.ts';

/** The log of one request: most never write a line, so it is made when first asked for. */
export type LazyLog = () => Logger;

export const lazyLog = (log: Logger, { origin: { requestId, traceId } }: RequestRecord): LazyLog => {
  let child: Logger | undefined;
  return () => {
    child ??= log.child({ requestId, ...(traceId && { traceId }) });
    return child;
  };
};

/** JSON lines, or on a terminal text that people read. @param level a pino level, or `silent` */
export const createLog = async (level: string): Promise<Logger> => {
  const options = { level, base: null, redact: ['err.config', 'err.parameters', 'err.detail'] };
  return pino(options, process.stdout.isTTY ? await prettyStream() : lineStream());
};

/** Lines that wait for whoever reads them: past that, new ones are dropped. */
const MAX_WAITING_BYTES = 16_777_216;

// While some lines are being written, the next ones gather: a busy gateway makes few writes, and waits for none.
const lineStream = (): DestinationStream => destination({ sync: false, maxLength: MAX_WAITING_BYTES });

// Loaded only where someone reads it: production starts without.
const prettyStream = async (): Promise<DestinationStream> => {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true });
};
