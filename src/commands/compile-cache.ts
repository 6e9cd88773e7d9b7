import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The group and all others may write. */
const OTHERS_WRITE = 0o022;

/** Only its owner may rename or delete what is in such a directory, as in `/tmp`. */
const STICKY = 0o1000;

/**
 * Has Node keep what modules compile to in a directory of this user, below `XDG_CACHE_HOME` or `~/.cache`. Node runs what it finds there, and by itself
 * takes a directory below the system's temporary one without asking who made it. Without a directory that only this user (and root)
 * can write to, nothing is kept. What the operator has set (`NODE_COMPILE_CACHE`, `NODE_DISABLE_COMPILE_CACHE`) is left to Node.
 */
export const keepCompiled = ({
  NODE_COMPILE_CACHE,
  NODE_DISABLE_COMPILE_CACHE,
  XDG_CACHE_HOME = '',
}: NodeJS.ProcessEnv): void => {
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
    const directory = makeOwn(join(makeSafe(caches), 'vitrine'));
    enableCompileCache(directory);
  } catch {
    // A start without it only takes longer.
  }
};

/** @returns the real path of a directory into which nobody else can write, nor into those above it. @throws Error where there is none */
const makeSafe = (path: string): string => {
  const parent = realpathSync(dirname(path));
  assertSafe(parent);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const directory = realpathSync(path);
  assertSafe(directory);
  return directory;
};

const makeOwn = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (!found.isDirectory() || !isOwnedBy(found, [process.geteuid?.()]) || isWritable(found)) throw new Error(path);
  return path;
};

const assertSafe = (path: string): void => {
  const found = lstatSync(path);
  const isSticky = (found.mode & STICKY) !== 0;
  if (!isOwnedBy(found, [process.geteuid?.(), 0]) || (isWritable(found) && !isSticky)) throw new Error(path);
  if (dirname(path) !== path) assertSafe(dirname(path));
};

// Windows knows neither: there the rights of a profile are for its user alone.
const isOwnedBy = ({ uid }: Stats, owners: readonly (number | undefined)[]): boolean =>
  process.platform === 'win32' || owners.includes(uid);
const isWritable = ({ mode }: Stats): boolean => process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;
