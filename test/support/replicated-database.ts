import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import type { TestDatabase } from './database.ts';

/** One server of a primary and its replicas. */
export interface Server extends Pick<TestDatabase, 'url' | 'sql'> {
  readonly dataDir: string;
  /** As if the machine had lost its power. */
  readonly kill: () => Promise<void>;
  /** At the same address as before. */
  readonly startAgain: () => Promise<void>;
}

export interface ReplicatedDatabase extends AsyncDisposable {
  readonly primary: Server;
  readonly addReplica: (of?: Server) => Promise<Server>;
  /** Resolves when a server has replayed all that the other has written so far. */
  readonly caughtUp: (replica: Server, primary?: Server) => Promise<void>;
}

const SETTINGS = {
  fsync: 'off',
  max_connections: '60',
  // A test waits for neither: what is written is soon sent, and who follows soon comes back.
  wal_retrieve_retry_interval: '100ms',
  wal_keep_size: '512MB',
  max_wal_senders: '6',
};

/** A PostgreSQL server with a migrated, empty database, and streaming replicas of it, all made by the embedded binaries. */
export const createReplicatedDatabase = async (settings: Record<string, string> = {}): Promise<ReplicatedDatabase> => {
  const root = await mkdtemp(path.join(tmpdir(), 'vitrine-replicas-'));
  const closing: (() => Promise<void>)[] = [];
  let count = 0;

  const start = async (dataDir: string): Promise<Server> => {
    const startServer = (): Promise<EmbeddedDatabase> =>
      startEmbeddedDatabase({ dataDir, log: () => {}, settings: { ...SETTINGS, ...settings } });
    let server = await startServer();
    const pool = new pg.Pool({ connectionString: server.url, max: 4 });
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    let isRunning = true;
    const kill = async (): Promise<void> => {
      const [pid] = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
      isRunning = false;
      process.kill(Number(pid), 'SIGQUIT');
      await server.exited;
      await server.stop();
    };
    // An orderly shutdown would wait for replicas that may not be there any more.
    closing.push(async () => {
      await pool.end();
      if (isRunning) await kill();
    });
    return {
      url: server.url,
      dataDir,
      sql: async (text, values) => (await pool.query(text, values)).rows,
      kill,
      startAgain: async () => {
        server = await startServer();
        isRunning = true;
      },
    };
  };

  const newDirectory = async (): Promise<string> => {
    count += 1;
    const dataDir = path.join(root, String(count));
    await mkdir(dataDir);
    return dataDir;
  };

  const primary = await start(await newDirectory());
  await applyMigrations({ url: primary.url, log: () => {} });

  return {
    primary,
    addReplica: async (of = primary) => {
      const dataDir = await newDirectory();
      await copyCluster(of, dataDir);
      const url = new URL(of.url);
      url.port = String(await findFreePort());
      await writeFile(path.join(dataDir, 'database-url'), `${url.href}\n`);
      return start(dataDir);
    },
    caughtUp: async (replica, of = primary) => {
      const [row] = await of.sql<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
      for (;;) {
        const [reached] = await replica.sql<{ done: boolean }>(
          'select pg_last_wal_replay_lsn() >= $1::pg_lsn as done',
          [row?.lsn],
        );
        if (reached?.done) return;
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const close of closing.reverse()) await close();
      await rm(root, { recursive: true, force: true });
    },
  };
};

/** As pg_basebackup does it, which is not among the binaries: https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP */
const copyCluster = async (of: Server, dataDir: string): Promise<void> => {
  const [from, to] = [path.join(of.dataDir, 'postgres'), path.join(dataDir, 'postgres')];
  const client = new pg.Client(of.url);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('replica', true)`);
    await promisify(execFile)('cp', ['-a', from, to]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await rm(path.join(to, 'postmaster.pid'), { force: true });
    await rm(path.join(to, 'standby.signal'), { force: true });
    await write(to, 'backup_label', rows[0]?.labelfile ?? '');
    await follow(to, of);
  } finally {
    await client.end();
  }
};

/** How a replica connects to a primary. */
export const conninfoOf = ({ url }: Pick<Server, 'url'>): string => {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
};

/** Has a server that does not run follow another one, whatever it has in its own log. */
const follow = async (cluster: string, primary: Pick<Server, 'url'>): Promise<void> => {
  await write(cluster, 'standby.signal', '');
  await write(cluster, 'postgresql.auto.conf', `primary_conninfo = '${conninfoOf(primary)}'\n`);
};

/** Starts a server that was killed, as a replica of another one. */
export const startAgainBehind = async (server: Server, primary: Server): Promise<void> => {
  await follow(path.join(server.dataDir, 'postgres'), primary);
  await server.startAgain();
};

/** A file of the cluster belongs to whom the cluster belongs to. */
const write = async (cluster: string, name: string, text: string): Promise<void> => {
  const file = path.join(cluster, name);
  await writeFile(file, text);
  const { uid, gid } = await stat(cluster);
  await chown(file, uid, gid);
};
