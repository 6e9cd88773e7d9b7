import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import { shared } from '../support/shared.ts';
import { postTo } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test here runs the real program as a process of its own.

const { path: folder } = await shared(temporaryFolder());

/** A port that another program listens on. */
const occupiedPort = async () => {
  const occupant = net.createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const { port } = occupant.address() as net.AddressInfo;
  return { port, [Symbol.dispose]: () => void occupant.close() };
};

const refusal = async (environment: Record<string, string>): Promise<string> => {
  const command = runCli(['serve'], { PORT: '0', ...environment });
  expect(await command.ended).toBe(1);
  const output = command.output();
  expect(output, 'a fault of the operator is reported without a stack').not.toMatch(/^\s+at /m);
  return output;
};

describe('the environment', () => {
  test('has no limit of queries so low that nothing could be asked', async () => {
    const output = await refusal({ QUERY_MAX_COST: '999' });
    expect(output).toContain('QUERY_MAX_COST must be a whole number from 1000 to 1000000000, but is "999"');
  });

  test('never has its secrets repeated', async () => {
    const output = await refusal({ DATABASE_URL: 'mysql://user:s3cret@host/db', ACCESS_TOKENS: 'short,with space' });
    expect(output).toContain('DATABASE_URL must begin with postgresql://');
    expect(output).toContain('ACCESS_TOKENS');
    expect(output).not.toMatch(/s3cret|short|with space/);
  });

  test('takes an empty value for an absent one', async () => {
    await using database = await createTestDatabase();
    await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, LOG_LEVEL: '', GRAPHIQL: ' ' });
    expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
  });
});

describe('the database', () => {
  test('that is not there stops the start, saying so', async () => {
    const output = await refusal({ DATABASE_URL: 'postgresql://postgres@127.0.0.1:1/nothing', DATABASE_WAIT_MS: '0' });
    expect(output).toMatch(/The database cannot be reached: .*ECONNREFUSED.*DATABASE_URL/);
  });

  test('that does not exist on its server stops the start, saying so', async () => {
    await using database = await createTestDatabase();
    expect(await refusal({ DATABASE_URL: database.url.replace(/[^/]*$/, 'no_such_database') })).toContain(
      'no_such_database',
    );
  });

  test('whose role only serves is not seeded, and says who can', async () => {
    await using database = await createTestDatabase();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await database.sql(`create role ${role} login password 'secret'; grant select on _prisma_migrations to ${role}`);
    try {
      const url = Object.assign(new URL(database.url), { username: role, password: 'secret' }).href;
      const seeded = runCli(['seed'], { DATABASE_URL: url });
      expect(await seeded.ended).toBe(1);
      expect(seeded.output()).toContain(
        'permission denied for table category. Run it as the role that owns the tables.',
      );
      expect(seeded.output()).not.toMatch(/^\s+at /m);
    } finally {
      await database.sql(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test('that lags is served once it is migrated, and seeded once', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const environment = { DATABASE_URL: database.url };

    const migrated = runCli(['migrate'], environment);
    expect(await migrated.ended, migrated.output()).toBe(0);
    const again = runCli(['migrate'], environment);
    expect(await again.ended).toBe(0);
    expect(again.output()).toContain('Nothing to migrate');

    const seeded = runCli(['seed'], environment);
    expect(await seeded.ended, seeded.output()).toBe(0);
    expect(seeded.output()).toContain('152 products');
    const reseeded = runCli(['seed'], environment);
    expect(await reseeded.ended).toBe(1);
    expect(reseeded.output()).toContain('Not seeded');

    await using gateway = await startGatewayProcess(environment);
    const response = await fetch(`${gateway.url}/api/product/hot?limit=100`);
    expect(await response.json()).toHaveLength(100);
  });

  test.each(['?schema=shop', '?options=-c%20search_path%3Dshop'])(
    'is migrated, seeded and served in a schema named by %s',
    async (query) => {
      await using database = await createTestDatabase({ migrated: false });
      await database.sql('create schema shop');
      const environment = { DATABASE_URL: database.url + query };
      for (const name of ['migrate', 'seed']) {
        const command = runCli([name], environment);
        expect(await command.ended, command.output()).toBe(0);
      }
      await using gateway = await startGatewayProcess(environment);
      for (const target of ['/api/product/1', '/api/product/hot', '/api/notice/1']) {
        expect((await fetch(gateway.url + target)).status).toBe(200);
      }
    },
  );

  test('that a newer version has migrated further is served', async () => {
    await using database = await createTestDatabase();
    await database.sql(`
      insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
      values ('x', 'x', '29990101000000_from_the_future', now(), 1)`);
    await using gateway = await startGatewayProcess({ DATABASE_URL: database.url });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  });
});

describe('the port', () => {
  test('that is taken stops the start, saying so', async () => {
    await using database = await createTestDatabase();
    using occupied = await occupiedPort();
    const output = await refusal({ DATABASE_URL: database.url, PORT: String(occupied.port), HOST: '127.0.0.1' });
    expect(output).toContain(`Port ${occupied.port} is taken`);
  });

  test.for(['1', '2'])('that is taken is reported before a database is made, with WORKERS=%s', async (workers) => {
    using occupied = await occupiedPort();
    const PORT = String(occupied.port);
    const dataDir = path.join(folder, `unmade-${workers}`);
    const output = await refusal({ DATA_DIR: dataDir, PORT, HOST: '127.0.0.1', WORKERS: workers });
    expect(output).toMatch(new RegExp(`^Port ${PORT} is taken by another program\\..*\\n$`));
    expect(existsSync(dataDir)).toBe(false);
  });

  test('of an address of another machine stops the start, saying so', async () => {
    await using database = await createTestDatabase();
    expect(await refusal({ DATABASE_URL: database.url, HOST: '192.0.2.1' })).toContain('192.0.2.1');
  });
});

test('REST documents that do not fit stop the start with file, line and reason', async () => {
  await using database = await createTestDatabase();
  await writeFile(path.join(folder, 'notice.graphql'), 'query Notice($id: Int!) {\n  notice(id: $id) { views }\n}\n');
  const output = await refusal({ DATABASE_URL: database.url, REST_DOCUMENTS: folder });
  expect(output).toContain(`${path.join(folder, 'notice.graphql')}:2:21`);
  expect(output).toContain('Cannot query field "views" on type "Notice"');
});

describe('without a database of the operator', () => {
  test('a newcomer gets a filled gateway, reads what to try, and finds the same data after Ctrl-C', async () => {
    const environment = { DATA_DIR: path.join(folder, 'data') };
    const first = await startGatewayProcess(environment);
    await first.command.printed(/Ctrl-C stops both/);
    const output = first.command.output();
    expect(output).toContain(`GraphiQL, to explore the API: ${first.url}/graphql`);

    // What it says to try works, word for word.
    const targets = [...output.matchAll(/curl '([^']+)'\n/g)].map(([, target]) => target ?? '');
    expect(targets).toHaveLength(2);
    for (const target of targets) expect((await fetch(target)).status).toBe(200);
    const [, body = ''] = /-d '([^']+)'/.exec(output) ?? [];
    expect(await (await postTo(first, body)).json()).toHaveProperty('data.categories.0.name');

    const { viewCount } = (await (await fetch(`${first.url}/api/notice/2`)).json()) as { viewCount: number };

    const second = runCli(['serve'], { PORT: '0', ...environment });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/Another Vitrine is already running on .*data\. Stop it first/);
    expect((await fetch(`${first.url}/readyz`)).status, 'the first goes on').toBe(200);

    first.command.child.kill('SIGINT');
    expect(await first.command.ended).toBe(0);

    await using next = await startGatewayProcess(environment);
    const again = (await (await fetch(`${next.url}/api/notice/2`)).json()) as { viewCount: number };
    expect(again.viewCount).toBe(viewCount + 1);
    next.command.child.kill('SIGTERM');
    expect(await next.command.ended).toBe(0);
  });
});

describe('an embedded database that ends', () => {
  test('and comes back at another address ends the process with 1: its connections would never find it', async () => {
    const dataDir = path.join(folder, 'moved');
    await using gateway = await startGatewayProcess({ DATA_DIR: dataDir });
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as net.AddressInfo;
    await new Promise((resolve) => other.close(resolve));
    // The next start takes the port of this file.
    const urlFile = path.join(dataDir, 'database-url');
    const url = new URL(await readFile(urlFile, 'utf8'));
    await writeFile(urlFile, Object.assign(url, { port: String(port) }).href);
    process.kill(Number.parseInt(await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    expect(await gateway.command.ended).toBe(1);
    expect(gateway.command.output()).toContain('the embedded database ended');
  });
});
