import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the project's migrations are, whether it runs from its sources or compiled. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

export interface MigrationFile {
  /** The name of its folder, which begins with a timestamp. */
  readonly name: string;
  readonly script: string;
}

/** The migrations of a folder, oldest first. @throws where one has no migration.sql */
export const readMigrationFiles = async (directory: string): Promise<MigrationFile[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names
      .sort()
      .map(async (name) => ({ name, script: await readFile(join(directory, name, 'migration.sql'), 'utf8') })),
  );
};

/** Whether this is the script that Prisma took the checksum of. As there, the kind of line ending does not count: Git may change it. */
export const hasChecksum = (script: string, checksum: string): boolean => {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].some(
    (variant) => createHash('sha256').update(variant).digest('hex') === checksum,
  );
};
