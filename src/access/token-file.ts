import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import { isToken, TOKEN_RULE } from './token-list.ts';

/** The tokens in a file that may change. */
export interface TokenFile {
  /** A token or digest each. */
  readonly texts: () => readonly string[];
  readonly close: () => void;
}

interface Options {
  readonly path: string;
  /** Called when there are others than before. */
  readonly onChange: () => void;
  readonly log: Logger;
}

/** Asked for, not waited for: a mounted secret is a link that changes its target, of which nobody is notified. */
const POLL_MS = 1000;

/**
 * Reads one token a line; blank lines and those that begin with # are nothing. Read again within a second or two of a change: a file without
 * tokens then lets nobody in, and one that cannot be read, or has a line that is no token, leaves those that were good before.
 * @throws OperatorError for a file that cannot be read or holds no token at the start
 */
export const openTokenFile = async ({ path, onChange, log }: Options): Promise<TokenFile> => {
  let texts = await readTokenFile(path);
  if (texts.length === 0) throw new OperatorError(`ACCESS_TOKENS_FILE holds no token: ${path}`);

  const reread = (): void => {
    readTokenFile(path).then(
      (read) => {
        texts = read;
        onChange();
        log.info({ tokens: read.length }, 'the access tokens were read again');
      },
      (error: unknown) => log.error({ err: error }, 'the access tokens stay as they were'),
    );
  };
  watchFile(path, { interval: POLL_MS, persistent: false }, reread);
  return { texts: () => texts, close: () => unwatchFile(path, reread) };
};

const readTokenFile = async (path: string): Promise<readonly string[]> => {
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`ACCESS_TOKENS_FILE cannot be read: ${path} (${error.code})`);
  });
  const lines = content.split(/\r?\n/).map((line) => line.trim());
  // The line is a secret, even where it is wrong.
  const wrong = lines.findIndex((line) => line !== '' && !line.startsWith('#') && !isToken(line));
  if (wrong >= 0)
    throw new OperatorError(`ACCESS_TOKENS_FILE must hold ${TOKEN_RULE}, a line each: ${path}:${wrong + 1}`);
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
};
