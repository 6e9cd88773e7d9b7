import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { readConfig, secretsOf } from '../../src/config/config.ts';
import { hostOf } from '../../src/database/connection.ts';
import { isDatabaseUnavailable } from '../../src/database/failures.ts';

describe('the URL of a database', () => {
  test.for([
    'postgresql://u:secret@one:5433,[::1]:5434,three/db?target_session_attrs=primary',
    'postgresql://u:secret@a,b',
    'postgresql://a:1,b:2/db',
  ])('names one host: %s is refused', (DATABASE_URL) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow('DATABASE_URL must name one host, which leads to the primary');
  });

  test('may have commas elsewhere', () => {
    for (const DATABASE_URL of ['postgresql:///db?options=a,b', 'postgresql://u:a,b@one/db', 'postgresql://one/a,b'])
      expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
    const replicas = { DATABASE_URL: 'postgresql://a/x', DATABASE_REPLICA_URLS: 'postgresql://a/x, postgres://b/y ,' };
    expect(readConfig(replicas).databaseReplicaUrls).toEqual(['postgresql://a/x', 'postgres://b/y']);
  });

  test('says in messages where it leads to', () => {
    expect(hostOf('postgresql://u:p@one:5433/db')).toBe('one:5433');
    expect(hostOf('postgresql:///db')).toBe('localhost:5432');
  });

  test('gives its password to no log', () => {
    const config = readConfig({ DATABASE_URL: 'postgresql://u:s%2Fecret@a:1/db' });
    expect(secretsOf(config)).toEqual(['s%2Fecret', 's/ecret']);
  });
});

test('a socket that is not there says that the database is away, a missing file does not', async () => {
  const [socket] = await once(net.connect('/nowhere/.s.PGSQL.5432'), 'error');
  expect(isDatabaseUnavailable(socket)).toBe(true);
  const file = await readFile('/nowhere/picture.svg').catch((error: unknown) => error);
  expect(file).toMatchObject({ code: 'ENOENT' });
  expect(isDatabaseUnavailable(file)).toBe(false);
});
