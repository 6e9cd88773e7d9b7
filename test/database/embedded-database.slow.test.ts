import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { OperatorError } from '../../src/errors.ts';

const SERVER = new URL('../../src/database/embedded/server.ts', import.meta.url).href;

/** What the child process says: that it serves, or why it does not. */
type Report = { readonly url: string; readonly created: boolean } | { readonly refused: string };

/** A data directory to be, under a directory that only its owner may enter. */
const newDataDir = async (): Promise<string> => {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'vitrine-')));
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }));
  return join(parent, 'data');
};

const start = async (dataDir: string, settings: Record<string, string> = {}): Promise<EmbeddedDatabase> => {
  const database = await startEmbeddedDatabase({ dataDir, settings, log: () => {} });
  onTestFinished(() => database.stop());
  return database;
};

const query = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
};

/** A gateway in a process group of its own. SIGTERM stops it, SIGUSR2 makes it fail. */
const spawnGateway = (dataDir: string) => {
  const script = `
    import { startEmbeddedDatabase } from ${JSON.stringify(SERVER)};
    process.on('SIGINT', () => {});
    process.on('SIGUSR2', () => { throw new Error('a fault of the gateway'); });
    try {
      const { url, created, stop } = await startEmbeddedDatabase({ dataDir: ${JSON.stringify(dataDir)}, log: () => {} });
      process.on('SIGTERM', () => stop().then(() => process.exit()));
      console.log(JSON.stringify({ url, created }));
    } catch (error) {
      console.log(JSON.stringify({ refused: error.message }));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { pid = 0 } = child;
  const ended = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => kill('SIGTERM'));
  const report = once(createInterface({ input: child.stdout }), 'line').then(([line]): Report => JSON.parse(line));
  return { pid, report, kill };
};

const serving = async (report: Promise<Report>): Promise<{ url: string; created: boolean }> => {
  const answer = await report;
  if ('refused' in answer) throw new Error(answer.refused);
  return answer;
};

const postmasterOf = async (dataDir: string): Promise<number> =>
  Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);

describe('a data directory', () => {
  test.each([
    { mode: 0o700, reach: 'only its owner may enter' },
    { mode: 0o755, reach: 'everybody may enter' },
  ])('under a directory that $reach is made by the first start and kept by the next', async ({ mode }) => {
    const dataDir = await newDataDir();
    await chmod(join(dataDir, '..'), mode);

    const first = await start(dataDir);
    expect(first.url).toMatch(/^postgresql:\/\/vitrine:[\w-]{32}@127\.0\.0\.1:\d+\/vitrine$/);
    expect(await readFile(join(dataDir, 'database-url'), 'utf8')).toBe(`${first.url}\n`);
    expect((await stat(join(dataDir, 'database-url'))).mode & 0o777).toBe(0o600);
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow('ECONNREFUSED');

    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select answer from kept')).toEqual([42]);
  });

  test('that an interrupted start left half made is made anew', async () => {
    const dataDir = await newDataDir();
    const gateway = spawnGateway(dataDir);
    gateway.report.catch(() => {});
    const draft = await vi.waitUntil(
      async () => (await readdir(dataDir).catch(() => [])).find((name) => name.startsWith('postgres.init-')),
      { timeout: 60_000, interval: 1 },
    );
    await vi.waitUntil(() => stat(join(dataDir, draft, 'PG_VERSION')).catch(() => false), {
      timeout: 60_000,
      interval: 1,
    });
    await gateway.kill('SIGKILL');
    expect(await readdir(dataDir)).toContain(draft);

    const database = await start(dataDir);
    expect(await query(database.url, 'select 1')).toEqual([1]);
    expect((await readdir(dataDir)).sort()).toEqual(['database-url', 'gateway.lock', 'postgres']);
  });

  test('that does not exist yet goes to one of two gateways that start at the same moment', async () => {
    const dataDir = await newDataDir();
    const gateways = [spawnGateway(dataDir), spawnGateway(dataDir)];
    const reports = await Promise.all(gateways.map(async ({ pid, report }) => ({ pid, report: await report })));
    const winners = reports.filter(({ report }) => 'url' in report);
    expect(winners).toHaveLength(1);
    expect(reports.flatMap(({ report }) => ('refused' in report ? [report.refused] : []))).toEqual([
      `Another Vitrine is already running on ${dataDir}. Stop it first, or give this one its own DATA_DIR.`,
    ]);
  });
});

describe('on data that is there', () => {
  let dataDir: string;

  beforeAll(async () => {
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'vitrine-')));
    dataDir = join(parent, 'data');
    const database = await startEmbeddedDatabase({ dataDir, log: () => {} });
    await query(database.url, 'create table counted (number int)');
    await database.stop();
    return () => rm(parent, { recursive: true, force: true, maxRetries: 10 });
  });

  test('letters beyond ASCII have two cases and sort as people expect', async () => {
    const { url } = await start(dataDir);
    expect(await query(url, `select 'CAFÉ' ilike '%é', upper('éøя'), lower('ÉØЯ')`)).toEqual([true, 'ÉØЯ', 'éøя']);
    const sorted = ['apple', 'Éclair', 'fig', 'Zebra'];
    const from = `from unnest(array['Zebra', 'fig', 'Éclair', 'apple']) word`;
    expect(await query(url, `select word ${from} order by word`)).toEqual(sorted);
    expect(await query(url, `select word ${from} order by word collate "und-x-icu"`)).toEqual(sorted);
  });

  test('the server keeps the clock in UTC, takes settings and can be reached from this machine only', async () => {
    const { url } = await start(dataDir, { work_mem: '7MB' });
    const names = ['TimeZone', 'work_mem', 'listen_addresses', 'unix_socket_directories', 'password_encryption'];
    expect(await query(url, `select ${names.map((name) => `current_setting('${name}')`)}`)).toEqual([
      ...['UTC', '7MB', '127.0.0.1', '', 'scram-sha-256'],
    ]);
    await expect(query(url.replace(/:[\w-]{32}@/, ':guess@'), 'select 1')).rejects.toThrow('authentication failed');
  });

  test('a second gateway is refused and told of the first, which keeps working', async () => {
    const { url } = await start(dataDir);
    const message = `Another Vitrine is already running on ${dataDir}. Stop it first, or give this one its own DATA_DIR.`;
    expect(await spawnGateway(dataDir).report).toEqual({ refused: message });
    await expect(start(dataDir)).rejects.toThrow(new OperatorError(message));
    expect(await spawnGateway(dataDir).report).toEqual({ refused: message });
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  test('the server that a killed gateway left running is stopped, and what was committed is there', async () => {
    const gateway = spawnGateway(dataDir);
    const { url } = await serving(gateway.report);
    await gateway.kill('SIGKILL');
    await query(url, 'insert into counted values (1)');
    const orphan = await postmasterOf(dataDir);

    const database = await start(dataDir);
    expect(await postmasterOf(dataDir)).not.toBe(orphan);
    // The same port, so the orphan has let go of it.
    expect(database.url).toBe(url);
    expect(await query(database.url, 'select number from counted')).toEqual([1]);
  });

  test('a server that was killed with its gateway is recovered, though its process id is in use again and one of its backends still works', async () => {
    const gateway = spawnGateway(dataDir);
    const { url } = await serving(gateway.report);
    await query(url, 'insert into counted values (2)');
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = rows[0]?.pid ?? 0;
    onTestFinished(() => void spawn('kill', [String(backend)]));
    // It waits for nothing, so it does not notice the end of its server.
    client.query('do $$ begin loop end loop; end $$').catch(() => {});
    const isBusy = `select state = 'active' and query like 'do %' from pg_stat_activity where pid = ${backend}`;
    await vi.waitUntil(async () => (await query(url, isBusy))[0] === true, { timeout: 60_000, interval: 5 });
    await gateway.kill('SIGKILL');
    process.kill(await postmasterOf(dataDir), 'SIGKILL');

    // PostgreSQL minds a process of its own user only.
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const bystander = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid, cwd: '/' } : {});
    onTestFinished(() => void bystander.kill());
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(bystander.pid)));

    const starting = start(dataDir);
    // Each try replaces the file, so the second has begun where the first was refused because of the backend.
    const replacedMs = new Set<number>();
    const countTries = async (): Promise<number> => {
      if ((await readFile(pidFile, 'utf8')).startsWith(`${process.pid}\n`))
        replacedMs.add((await stat(pidFile)).mtimeMs);
      return replacedMs.size;
    };
    await vi.waitUntil(async () => (await countTries()) > 1, { timeout: 60_000, interval: 5 });
    process.kill(backend);
    const database = await starting;
    expect(await query(database.url, 'select number from counted')).toContain(2);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  test('a gateway that ends with an error takes its server along', async () => {
    const gateway = spawnGateway(dataDir);
    const { url } = await serving(gateway.report);
    await gateway.kill('SIGUSR2');
    await vi.waitFor(() => expect(query(url, 'select 1')).rejects.toThrow('ECONNREFUSED'), { timeout: 60_000 });
  });

  test('Ctrl-C in the terminal reaches the gateway, not its server', async () => {
    const gateway = spawnGateway(dataDir);
    const { url } = await serving(gateway.report);
    const answer = query(url, 'select 1 from pg_sleep(0.3)');
    process.kill(-gateway.pid, 'SIGINT');
    expect(await answer).toEqual([1]);
  });

  test('a server that is killed is noticed, and one that is stopped is not taken for it', async () => {
    const killed = await start(dataDir);
    process.kill(await postmasterOf(dataDir), 'SIGKILL');
    await killed.exited;
    await killed.stop();

    const stopped = await start(dataDir);
    const ends = Promise.race([stopped.exited.then(() => 'exited'), stopped.stop().then(() => 'stopped')]);
    expect(await ends).toBe('stopped');
  });

  test('another port is chosen, and written down, when the last one is taken', async () => {
    const { url, stop } = await start(dataDir);
    await stop();
    const taker = createServer().listen(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void taker.close());
    await once(taker, 'listening');

    const moved = await start(dataDir);
    expect(moved.url).not.toBe(url);
    expect(await readFile(join(dataDir, 'database-url'), 'utf8')).toBe(`${moved.url}\n`);
    expect(await query(moved.url, 'select 1')).toEqual([1]);
  });

  test('a lost password is replaced', async () => {
    await rm(join(dataDir, 'database-url'));
    const { url } = await start(dataDir);
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  test('data of another major version is refused', async () => {
    const versionFile = join(dataDir, 'postgres/PG_VERSION');
    await writeFile(versionFile, '17\n');
    onTestFinished(() => writeFile(versionFile, '18\n'));
    await expect(start(dataDir)).rejects.toThrow(/made by PostgreSQL 17, and this Vitrine brings PostgreSQL 18/);
  });

  test('what the server printed is in the error when it does not start, and the directory is free again', async () => {
    const failure = start(dataDir, { shared_buffers: '7 bananas' });
    await expect(failure).rejects.toThrow(OperatorError);
    await expect(failure).rejects.toThrow('invalid value for parameter "shared_buffers": "7 bananas"');
    await start(dataDir);
  });

  test('a data directory that is none is refused', async () => {
    const failure = start(join(dataDir, 'gateway.lock'));
    await expect(failure).rejects.toThrow(OperatorError);
    await expect(failure).rejects.toThrow(/cannot be used: EEXIST/);
  });
});
