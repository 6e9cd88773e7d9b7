import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { ServingProcess } from './process.ts';

/** Processes that a process has started, and that run. On Linux. */
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

export interface Got {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly text: string;
}

const GOT_NOTHING = { status: 0, text: '' };

/** Asks by a connection of its own, which the next worker in turn gets. Never rejects. */
export const getAnew = (url: string): Promise<Got> =>
  new Promise((resolve) => {
    const request = http.get(url, { agent: false, timeout: 10_000 }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', () => resolve(GOT_NOTHING));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(GOT_NOTHING));
  });
