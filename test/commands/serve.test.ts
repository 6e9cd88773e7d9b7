import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import { openSession, untilViewsWait } from '../support/session.ts';

// The real program as a process of its own: what must always hold. The rest is in start-up.slow.test.ts.

/** What the program prints when it refuses to start. */
const refused = async (environment: Record<string, string>): Promise<string> => {
  const command = runCli(['serve'], { PORT: '0', ...environment });
  expect(await command.ended).toBe(1);
  return command.output();
};

test('a wrong environment is refused with one line for each fault', async () => {
  const output = await refused({ PORT: 'http', LOG_LEVEL: 'loud', GRAPHIQL: 'perhaps', SHUTDOWN_TIMEOUT_MS: '-1' });
  const lines = output.split('\n').filter((line) => line.startsWith('  '));
  expect(lines.map((line) => line.trim().split(' ')[0])).toEqual([
    'PORT',
    'LOG_LEVEL',
    'GRAPHIQL',
    'SHUTDOWN_TIMEOUT_MS',
  ]);
  expect(output).toContain('PORT must be a whole number from 0 to 65535, but is "http"');
});

test('a database whose migrations are pending stops the start, saying what to run', async () => {
  await using database = await createTestDatabase({ migrated: false });
  const output = await refused({ DATABASE_URL: database.url });
  expect(output).toContain('npx vitrine migrate');
  expect(output).toContain('20261128200000_tables');
});

// Windows has no signals: it ends the process at once.
test.skipIf(process.platform === 'win32')(
  'SIGTERM lets a request in flight finish, refuses new ones and exits with 0',
  async () => {
    await using database = await createTestDatabase();
    await database.sql(`insert into notice (title, content) values ('Read me', '…')`);
    await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, DATABASE_TIMEOUT_MS: '20000' });
    // The view waits for a lock that the back office holds.
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('update notice set title = title');
    const inFlight = fetch(`${gateway.url}/api/notice/1`).then(async (response) => ({
      status: response.status,
      body: await response.json(),
    }));
    await untilViewsWait(database);

    gateway.command.child.kill('SIGTERM');
    await gateway.command.printed(/shutting down/);
    await expect
      .poll(() =>
        fetch(`${gateway.url}/livez`).then(
          () => 'answered',
          () => 'refused',
        ),
      )
      .toBe('refused');
    await backOffice.query('commit');

    expect(await inFlight).toMatchObject({ status: 200, body: { viewCount: 1 } });
    expect(await gateway.command.ended).toBe(0);
  },
);
