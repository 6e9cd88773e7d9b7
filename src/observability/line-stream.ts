import { type DestinationStream, destination } from 'pino';

/** Lines that wait for whoever reads them: past that, new ones are dropped. */
const MAX_WAITING_BYTES = 16_777_216;

/** So many are written sooner. */
const MIN_WRITE_BYTES = 16_000;

/** So long lines gather: a busy gateway makes few writes, each of which costs more than ten lines, and waits for none. */
const GATHER_MS = 10;

/** Standard output, for lines by the thousand. What is left is written when the process exits. */
export const createLineStream = (): DestinationStream & { readonly flushSync: () => void } => {
  const lines = destination({ sync: false, minLength: MIN_WRITE_BYTES, maxLength: MAX_WAITING_BYTES });
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
