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
    mkdirSync(join(caches, 'vitrine'), { recursive: true, mode: 0o700 });
    // By its real path: a link on the way may lead elsewhere later.
    const directory = join(realpathSync(caches), 'vitrine');
    if (!isPrivate(directory)) return;
    enableCompileCache(directory);
    environment.NODE_COMPILE_CACHE = directory;
  } catch {
    // Without the cache, the start only takes longer.
  }
};

/** Whether only this user and root can write to a directory, which is no link, and to all above it. Windows has no modes: there a profile is private to its user. */
const isPrivate = (directory) => {
  if (process.platform === 'win32') return true;
  const trusted = [process.geteuid(), 0];
  for (let path = directory; ; path = realpathSync(dirname(path))) {
    const found = lstatSync(path);
    const isSticky = path !== directory && (found.mode & STICKY) !== 0;
    const isWritable = (found.mode & OTHERS_WRITE) !== 0 && !isSticky;
    if (!found.isDirectory() || !trusted.includes(found.uid) || isWritable) return false;
    if (dirname(path) === path) return true;
  }
};

keepCompiled(process.env);
