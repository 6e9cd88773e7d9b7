import { execFile } from 'node:child_process';
import { chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** A user and a group, by number. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Whether this process runs as root. */
export const isRoot = (): boolean => process.geteuid?.() === 0;

/** Whose a file or directory is. */
export const readOwner = async (path: string): Promise<Owner> => {
  const { uid, gid } = await stat(path);
  return { uid, gid };
};

/** The first of these users, each a name or a number, that this machine knows. */
export const findUser = async ([user, ...others]: readonly string[]): Promise<Owner | undefined> => {
  if (user === undefined) return undefined;
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => promisify(execFile)('id', [flag, user])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return findUser(others);
  }
};

/** Gives what root made to the owner of its directory, whom it would otherwise shut out of a start of their own. */
export const giveToDirectoryOwner = async (path: string): Promise<void> => {
  if (!isRoot()) return;
  const { uid, gid } = await readOwner(dirname(path));
  await chown(path, uid, gid);
};

/** Writes a whole file in one step: a reader, or the next start after a crash, finds the old content or the new. */
export const replaceFile = async (path: string, content: string, mode: number): Promise<void> => {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, content, { flag: 'wx', mode });
  await giveToDirectoryOwner(draft);
  await rename(draft, path);
};
