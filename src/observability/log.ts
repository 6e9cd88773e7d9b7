import { type DestinationStream, type Logger, pino } from 'pino';

/** The log of one request: most never write a line, so it is made when first asked for. */
export type LazyLog = () => Logger;

export const lazyLog = (log: Logger, requestId: string): LazyLog => {
  let child: Logger | undefined;
  return () => {
    child ??= log.child({ requestId });
    return child;
  };
};

/** JSON lines, or on a terminal text that people read. @param level a pino level, or `silent` */
export const createLog = async (level: string): Promise<Logger> => {
  const options = { level, base: null, redact: ['err.config', 'err.parameters', 'err.detail'] };
  return process.stdout.isTTY ? pino(options, await prettyStream()) : pino(options);
};

// Loaded only where someone reads it: production starts without.
const prettyStream = async (): Promise<DestinationStream> => {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true });
};
