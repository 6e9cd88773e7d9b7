import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { hostsOf, urlsOf } from '../../src/database/connection.ts';
import { isDatabaseUnavailable } from '../../src/database/failures.ts';

describe('the URL of a database', () => {
  test('of several hosts is a URL for each of them, whatever else is in it', () => {
    expect(urlsOf('postgresql://u:a,b@one:5433,[::1]:5434,three/db?target_session_attrs=primary')).toEqual([
      'postgresql://u:a,b@one:5433/db?target_session_attrs=primary',
      'postgresql://u:a,b@[::1]:5434/db?target_session_attrs=primary',
      'postgresql://u:a,b@three/db?target_session_attrs=primary',
    ]);
    expect(urlsOf('postgresql:///db?options=a,b')).toEqual(['postgresql:///db?options=a,b']);
  });

  test.for([
    ['postgresql://u:secret@a,,b/db', 'must be a whole URL'],
    ['postgresql://u:secret@a,b:x/db', 'must be a whole URL'],
    ['postgresql://u:secret@a,b/db?target_session_attrs=standby', 'must ask for target_session_attrs read-write'],
    ['postgresql://u:secret@a/db?target_session_attrs=any&x=1', 'must ask for target_session_attrs read-write'],
  ])('is refused as %s', ([DATABASE_URL = '', reason]) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow(`DATABASE_URL ${reason}`);
  });

  test('may have commas elsewhere', () => {
    for (const DATABASE_URL of ['postgresql:///db?options=a,b', 'postgresql://u:a,b@one/db', 'postgresql://one/a,b'])
      expect(readConfig({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
    const replicas = { DATABASE_URL: 'postgresql://a/x', DATABASE_REPLICA_URLS: 'postgresql://a/x, postgres://b/y ,' };
    expect(readConfig(replicas).databaseReplicaUrls).toEqual(['postgresql://a/x', 'postgres://b/y']);
  });

  test('says in messages where it leads to', () => {
    expect(hostsOf('postgresql://u:p@one:5433,[::1]:5434,three/db')).toBe('one:5433 or ::1:5434 or three:5432');
    expect(hostsOf('postgresql:///db')).toBe('localhost:5432');
  });

  test('gives its password to no log', () => {
    for (const hosts of ['a:1', 'a:1,b:2']) {
      const config = readConfig({ DATABASE_URL: `postgresql://u:s%2Fecret@${hosts}/db` });
      expect(config.secrets).toEqual(['s%2Fecret', 's/ecret']);
    }
  });
});

test('a socket that is not there says that the database is away, a missing file does not', async () => {
  const [socket] = await once(net.connect('/nowhere/.s.PGSQL.5432'), 'error');
  expect(isDatabaseUnavailable(socket)).toBe(true);
  const file = await readFile('/nowhere/picture.svg').catch((error: unknown) => error);
  expect(file).toMatchObject({ code: 'ENOENT' });
  expect(isDatabaseUnavailable(file)).toBe(false);
});
