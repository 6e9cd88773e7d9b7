import { MIGRATIONS_DIRECTORY, readMigrationFiles } from '../database/migration-files.ts';
import { readMigrationStatus } from '../database/migrations.ts';
import { OperatorError } from '../errors.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';

/** Whether the database is as this version's migrations leave it. */
export const checkMigrations: Check = async ({ client }) => {
  const status = await readMigrationStatus(client).catch((error: unknown) => {
    if (error instanceof OperatorError) return error;
    throw error;
  });
  if (status instanceof OperatorError) {
    return [
      fail(
        'migrations',
        'the record of migrations cannot be read',
        'Let the owner run "grant select on _prisma_migrations to …".',
      ),
    ];
  }
  const { applied, pending, failed, unknown, edited } = status;
  const findings: Finding[] = [];
  if (pending.length > 0) {
    const unfinished = failed.length > 0 ? `, of which ${failed.join(', ')} was begun and not finished` : '';
    findings.push(
      fail(
        'migrations',
        `pending: ${pending.join(', ')}${unfinished}`,
        'Run "npx vitrine migrate" as the role that owns the tables.',
      ),
    );
  }
  if (edited.length > 0) {
    const remedy = 'Restore the files of prisma/migrations from the release that was installed.';
    findings.push(warn('migrations', `edited after being applied: ${edited.join(', ')}`, remedy));
  }
  if (unknown.length > 0) {
    const remedy = 'That is fine while an upgrade rolls out; after it, no older version should be running.';
    findings.push(warn('migrations', `a newer version has migrated this database: ${unknown.join(', ')}`, remedy));
  }
  return findings.length > 0 ? findings : [ok('migrations', `${applied.length} applied, none pending`)];
};

/** The indexes that the migrations make and do not drop again. */
const readIndexNames = async (directory = MIGRATIONS_DIRECTORY): Promise<string[]> => {
  const names = new Set<string>();
  for (const { script } of await readMigrationFiles(directory)) {
    const statements = script.replaceAll(/--.*$/gm, '');
    const pattern =
      /\bcreate\s+(?:unique\s+)?index\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+on\b|\bdrop\s+index\s+(?:concurrently\s+)?(?:if\s+exists\s+)?"?(\w+)"?/gi;
    for (const [, created, dropped] of statements.matchAll(pattern)) {
      if (created) names.add(created);
      if (dropped) names.delete(dropped);
    }
  }
  return [...names].sort();
};

/** Whether every index of the migrations is there and usable. */
export const checkIndexes: Check = async ({ client }) => {
  const names = await readIndexNames();
  const { rows } = await client.query<{ name: string; valid: boolean | null }>(
    `select name, (select indisvalid and indisready from pg_index where indexrelid = to_regclass(quote_ident(name))) as valid
     from unnest($1::text[]) as name`,
    [names],
  );
  const missing = rows.filter(({ valid }) => valid === null).map(({ name }) => name);
  const invalid = rows.filter(({ valid }) => valid === false).map(({ name }) => name);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const remedy =
      'Create them again as prisma/migrations has them (with "concurrently" on a live database): lists are slow without.';
    findings.push(fail('indexes', `missing: ${missing.join(', ')}`, remedy));
  }
  if (invalid.length > 0) {
    const remedy = `A build of them was cut off: ${invalid.map((name) => `"reindex index concurrently ${name}"`).join(', ')}.`;
    findings.push(fail('indexes', `not valid: ${invalid.join(', ')}`, remedy));
  }
  return findings.length > 0 ? findings : [ok('indexes', `all ${names.length} there and valid`)];
};
