import { readFile } from 'node:fs/promises';
import type { ServingProcess } from './process.ts';

/** Processes that a process has started. On Linux. */
export const childrenOf = async (pid = 0): Promise<number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
};

/** The processes of a gateway's workers, on a database that is not its own. */
export const workersOf = ({ command }: ServingProcess): Promise<number[]> => childrenOf(command.child.pid);

/** Whether a process is there, and not just waiting for its parent to notice its end. */
export const runs = async (pid: number): Promise<boolean> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' Z ');
  return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2));
};
