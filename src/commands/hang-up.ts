import { closeSync, openSync } from 'node:fs';

/** The terminal that this process was started from. */
export interface HangUp {
  /** Whether there was one, and it is gone. */
  readonly hasHappened: () => boolean;
}

/** SIGHUP is sent by a terminal that is closed, and by operators: a process has a terminal as long as it can open this. */
const TERMINAL = '/dev/tty';

export const createHangUp = (): HangUp => {
  const hadTerminal = canOpen(TERMINAL);
  return { hasHappened: () => hadTerminal && !canOpen(TERMINAL) };
};

const canOpen = (path: string): boolean => {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch {
    return false;
  }
};
