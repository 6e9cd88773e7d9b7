import { once } from 'node:events';
import net from 'node:net';
import type pg from 'pg';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { connectionConfig, withConnection } from '../../src/database/connection.ts';
import { isDatabaseUnavailable } from '../../src/database/failures.ts';
import { createPool } from '../../src/database/pool.ts';
import { createReplicatedDatabase } from '../support/replicated-database.ts';
import { shared } from '../support/shared.ts';
import { wireTo } from '../support/wire.ts';

const servers = await shared(createReplicatedDatabase());
const { primary } = servers;
const replica = await servers.addReplica();

const hostOf = (url: string): string => new URL(url).host;

/** One URL of several hosts. */
const urlOf = (hosts: readonly string[], query = ''): string => {
  const { username, password, pathname } = new URL(primary.url);
  return `postgresql://${username}:${password}@${hosts.join(',')}${pathname}${query}`;
};

const portOf = async (client: pg.ClientBase | pg.Pool): Promise<string> => {
  const { rows } = await client.query<{ port: string }>(`select current_setting('port') as port`);
  return `127.0.0.1:${rows[0]?.port}`;
};

const pidOf = async (client: pg.ClientBase): Promise<number | undefined> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;

/** Where a connection by this URL ends up. */
const connectedBy = (url: string): Promise<string> => withConnection(connectionConfig(url), 10_000, portOf);

/** A host that takes connections and says nothing. */
const silentHost = async (log: string[]): Promise<{ host: string } & AsyncDisposable> => {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    log.push('asked');
    socket.resume().on('end', () => log.push('given up'));
    sockets.push(socket.on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

describe('of several hosts', () => {
  test('the primary is connected to, wherever in the list it is', async () => {
    const [first, second] = [hostOf(primary.url), hostOf(replica.url)];
    for (const query of ['', '?target_session_attrs=read-write', '?target_session_attrs=primary']) {
      expect(await connectedBy(urlOf([second, first], query))).toBe(first);
      expect(await connectedBy(urlOf([first, second], query))).toBe(first);
    }
  });

  test('those that are not there or say nothing are passed over', async () => {
    const log: string[] = [];
    await using silent = await silentHost(log);
    await using mute = await silentHost(log);
    const hosts = ['127.0.0.1:1', silent.host, mute.host, hostOf(primary.url)];
    expect(await connectedBy(urlOf(hosts))).toBe(hostOf(primary.url));
    // Nobody waits until the first has been given up, which takes a second.
    expect(log.slice(0, 2)).toEqual(['asked', 'asked']);
  });

  test('where none takes writes, the database is away, and asked for again', async () => {
    const url = urlOf([hostOf(replica.url), '127.0.0.1:1']);
    const error = await connectedBy(url).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isDatabaseUnavailable(error)).toBe(true);
    const standbys = urlOf([hostOf(replica.url), hostOf(replica.url)]);
    const standby = await connectedBy(standbys).catch((reason) => reason);
    expect(standby).toMatchObject({ message: 'none of the hosts takes writes' });
    expect(isDatabaseUnavailable(standby)).toBe(true);
  });

  test('when another one is found to be the primary, connections to the former one are ended', async () => {
    // Both lead to one server, which stands for two that take writes.
    await using former = await wireTo(primary);
    await using other = await wireTo(primary);
    await other.refuse();
    const connection = connectionConfig(urlOf([hostOf(other.url), hostOf(former.url)]));
    const pool = createPool({ connection, size: 3, timeoutMs: 5000, log: pino({ level: 'silent' }) });
    const [broken, idle] = await Promise.all([pool.connect(), pool.connect()]);
    broken.on('error', () => {});
    const ended = new Promise((resolve) => broken.once('end', resolve));
    const failed = once(idle, 'error');
    await other.restore();
    await primary.sql(`select pg_terminate_backend(${await pidOf(broken)})`);
    await ended;
    expect(other.connectionCount()).toBe(0);
    former.freeze();
    const found = await pool.connect();
    expect(other.connectionCount()).toBe(1);
    expect(await failed).toMatchObject([{ message: expect.stringContaining('another server is the primary') }]);
    broken.release(true);
    idle.release(true);
    found.release();
    await pool.end();
  });
});
