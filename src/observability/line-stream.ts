import { type DestinationStream, destination } from 'pino';

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
export const createLineStream = (isShared = false): DestinationStream & { readonly flushSync: () => void } => {
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
