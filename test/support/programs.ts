import { existsSync } from 'node:fs';
import path from 'node:path';

/** Debian has servers where only root looks for them. */
const FOLDERS = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];

/**
 * The path of a program that only a few tests need. Where a newcomer has none, a warning says so and the tests are skipped; CI must have all.
 * @param names by which it may be installed
 * @throws Error in CI where it is not installed
 */
export const findProgram = (...names: readonly string[]): string | undefined => {
  const found = FOLDERS.flatMap((folder) => names.map((name) => path.join(folder, name))).find(existsSync);
  if (found !== undefined) return found;
  const message = `${names.join(' or ')} is not installed: the tests that need it are skipped.`;
  if (process.env.CI) throw new Error(message);
  console.warn(message);
  return undefined;
};
