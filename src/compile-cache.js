import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Write permission of the group and of all others. */
const OTHERS_WRITE = 0o022;

/** Sticky bit, as of `/tmp`: only the owner of a file may rename or delete it. */
const STICKY = 0o1000;

/**
 * Turns on Node's compile cache in a directory of this user, below `XDG_CACHE_HOME` or `~/.cache`. Node executes what it finds in the cache, and its own
 * default is below the system's temporary directory, even if another user created it. Without a directory that only this user (and root) can write
 * to, nothing is cached. `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` of the operator take precedence.
 *
 * Threads and the processes that this one starts have the cache from the environment. In a checkout nobody needs the compiler for TypeScript then, if this
 * runs before the first of its files is read: it takes 24 MB for as long as the process lives (2026-11-27).
 */
const keepCompiled = (environment) => {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = '' } = environment;
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return;
  try {
    const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
    const directory = makeOwn(join(makeSafe(caches), 'vitrine'));
    enableCompileCache(directory);
    environment.NODE_COMPILE_CACHE = directory;
  } catch {
    // Without the cache, the start only takes longer.
  }
};

/** @returns the real path of the directory, if nobody else can write to it or to one above it. @throws Error otherwise */
const makeSafe = (path) => {
  const parent = realpathSync(dirname(path));
  assertSafe(parent);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const directory = realpathSync(path);
  assertSafe(directory);
  return directory;
};

const makeOwn = (path) => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (!found.isDirectory() || !isOwnedBy(found, [process.geteuid?.()]) || isWritable(found)) throw new Error(path);
  return path;
};

const assertSafe = (path) => {
  const found = lstatSync(path);
  const isSticky = (found.mode & STICKY) !== 0;
  if (!isOwnedBy(found, [process.geteuid?.(), 0]) || (isWritable(found) && !isSticky)) throw new Error(path);
  if (dirname(path) !== path) assertSafe(dirname(path));
};

// Windows has neither: there a profile is private to its user.
const isOwnedBy = ({ uid }, owners) => process.platform === 'win32' || owners.includes(uid);
const isWritable = ({ mode }) => process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0;

keepCompiled(process.env);
