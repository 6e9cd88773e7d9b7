import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { forTerminal } from '../../src/observability/log.ts';
import { createTestDatabase } from '../support/database.ts';
import { takeAway } from '../support/outages.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { postTo, sendRaw } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Each of these is put where it belongs, and must turn up nowhere else.
const PASSWORD = 'canary/pass#word 1';
const TOKEN = 'canary-token-0123456789';
const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.Y2FuYXJ5LXNpZ25hdHVyZQ';
const VALUE = 'canary-value-in-a-query';
const DETAIL = 'canary-detail-of-the-driver';
const FORGED = '{"level":60,"msg":"forged"}';

/** What no answer may tell: of the database, of the code, of the machine. */
const INSIDE =
  /canary|postgres|prisma|relation|sqlstate|\bselect\b|\bupdate\b|explode|stack|node_modules|[\w/]\.(ts|js)\b|\/(tmp|dev\/shm)\/|\bat \w+ \(|127\.0\.0\.1|ECONN|DATABASE_/i;

const database = await shared(createTestDatabase());
const notice = await insertNotice(database);
const role = `shop_${randomBytes(4).toString('hex')}`;
await database.sql(`create role ${role} login superuser password '${PASSWORD}'`);
afterAll(() => database.sql(`drop role ${role}`));
const gateway = await shared(
  startGatewayProcess({
    DATABASE_URL: Object.assign(new URL(database.url), { username: role, password: PASSWORD }).href,
    ACCESS_TOKENS: TOKEN,
    LOG_LEVEL: 'trace',
    CACHE_MAX_MB: '0',
    DATABASE_TIMEOUT_MS: '2000',
    CANARY: 'canary-of-the-environment',
  }),
);

const GRANTED = { authorization: `Bearer ${TOKEN}` };

const post = (query: string, headers: Record<string, string> = GRANTED) => postTo(gateway, { query }, headers);

/** Everything of an answer but its id, which is random, as text. */
const told = async (response: Response): Promise<string> => {
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
  return headers.map((header) => header.join(': ')).join('\n') + (await response.text());
};

/** The lines of the log, each of which must be one. */
const logLines = (): Record<string, unknown>[] => {
  const text = gateway.command.output();
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map((line) => JSON.parse(line));
};

const expectCleanLog = (): void => {
  const text = gateway.command.output();
  const SECRETS = [PASSWORD, encodeURIComponent(PASSWORD), TOKEN, JWT, VALUE, DETAIL, 'canary-of-the-environment'];
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/);
  expect(logLines().filter(({ level, msg }) => level === 60 || msg === 'forged')).toEqual([]);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(20_000);
};

/** Makes every read of products and every view of a notice fail in this way. */
const explodeWith = (sqlstate: string): Promise<unknown> =>
  database.sql(`
    create or replace function explode() returns boolean language plpgsql as $$ begin
      raise exception using errcode = '${sqlstate}', message = E'message \\x1b[2J\\x7f\\u009b31m\\u202e\\n${FORGED}\\n${'m'.repeat(3000)}',
        detail = '${DETAIL}', hint = '${DETAIL}', constraint = 'a_constraint';
    end $$`);

describe('a fault of the database', () => {
  beforeAll(async () => {
    await explodeWith('P0001');
    await database.sql(`
      alter table product rename to product_stored;
      create view product as select * from product_stored where explode();
      create function explode_on_view() returns trigger language plpgsql as $$ begin perform explode(); return new; end $$;
      create trigger explode before update on notice for each row execute function explode_on_view()`);
    await database.sql(`insert into category (name, slug) values ('c', 'c')`);
    await database.sql(`insert into product_stored (category_id, name, slug, price) values (1, 'p', 'p', 1)`);
    return () =>
      database.sql(`drop view product; alter table product_stored rename to product; drop trigger explode on notice`);
  });

  test.for([
    ...['P0001', '22P02', '22003', '23505', '42501', '42P01', 'XX000'].map((sqlstate) => [sqlstate, 500] as const),
    ...['40001', '53100', '53300', '57014', '58030', '25006', '08006'].map((sqlstate) => [sqlstate, 503] as const),
  ])('%s is a %i that tells nothing of itself', async ([sqlstate, status]) => {
    await explodeWith(sqlstate);
    for (const response of [
      await post(`{ productBySlug(slug: "${VALUE}") { id } hotProducts { id } }`),
      await post(`{ notice(id: ${notice}) { id } }`, {}),
      await fetch(`${gateway.url}/api/product/list?x=${VALUE}`, { headers: GRANTED }),
      await fetch(`${gateway.url}/api/notice/${notice}`),
    ]) {
      expect(response.status).toBe(status);
      const text = await told(response);
      expect(text).not.toMatch(INSIDE);
      expect(text).not.toContain(sqlstate);
    }
    expectCleanLog();
  });

  test('is told to the log: what, where, under which name, and by which request', async () => {
    await explodeWith('23505');
    await fetch(`${gateway.url}/api/product/hot`, { headers: { ...GRANTED, 'x-request-id': 'the-one' } });
    await gateway.command.printed(/the-one/);
    const line = JSON.stringify(logLines().find(({ requestId }) => requestId === 'the-one'));
    expect(line).toContain('message ');
    expect(line).toContain('23505');
    expect(line).toMatch(/ at .*\.(ts|js):/);
  });
});

test('a row that does not fit, and a lock that is never given back, tell nothing', async () => {
  await database.sql(`alter table notice alter column title drop not null`);
  await database.sql(`insert into notice (title, content, summary) values (null, 'c', '${DETAIL}')`);
  const broken = await post('{ notices { title summary } }');
  expect(broken.status).toBe(500);
  expect(await told(broken)).not.toMatch(INSIDE);
  await database.sql('delete from notice where title is null');

  await using backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('lock table notice in access exclusive mode');
  const waiting = post(`{ noticePage(keyword: "${VALUE}") { total } }`);
  await untilBlocked(database).catch(() => {});
  const held = await waiting;
  expect(held.status).toBe(503);
  expect(await told(held)).not.toMatch(INSIDE);
  await backOffice.query('rollback');
  expectCleanLog();
});

test('a database that is away tells nothing', async () => {
  const giveBack = await takeAway(database);
  for (const target of ['/api/product/hot', `/api/notice/${notice}`, '/graphql?query={notices{id}}', '/readyz']) {
    const response = await fetch(gateway.url + target, { headers: GRANTED });
    expect(response.status).toBe(503);
    expect((await told(response)).replace('the database does not answer', '')).not.toMatch(INSIDE);
  }
  await giveBack();
  await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  expectCleanLog();
});

describe('a request that nobody should send', () => {
  const long = 'x'.repeat(100_000);

  test('gets back of its own at most a little, and nothing of ours', async () => {
    const bodies = [
      '{',
      `{"query": "${long}`,
      JSON.stringify({ query: `{ notices(${VALUE}: "${long}") { id } }` }),
      JSON.stringify({ query: 'query ($x: Int!) { product(id: $x) { id } }', variables: { x: { __proto__: long } } }),
      JSON.stringify({ query: '{ product(id: 99999999999) { id } }' }),
      JSON.stringify({ query: 1 }),
      JSON.stringify([{ query: '{ notices { id } }' }]),
      '"\\ud800"',
    ];
    for (const body of bodies) {
      const response = await postTo(gateway, body, GRANTED);
      expect(response.status).toBeLessThan(500);
      expect((await told(response)).replaceAll(VALUE, '')).not.toMatch(INSIDE);
    }
    for (const target of [
      `/api/product/list?orderBy=${long.slice(0, 7000)}`,
      '/api/%c0%ae%c0%ae/etc/passwd',
      '/api/../../package.json',
      '/graphiql/../../src/cli.ts',
      '/images/..%2f..%2fsrc.svg',
      '/graphql?query={notices{id}}&variables={',
    ]) {
      const text = await sendRaw(
        gateway.url,
        `GET ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(text).not.toMatch(INSIDE);
      expect(text.length).toBeLessThan(2000);
    }
  });

  test('leaves no credentials in the log, wherever it carries them', async () => {
    for (const headers of [
      { authorization: `Bearer ${JWT}` },
      { authorization: `Basic ${btoa(`me:${TOKEN}`)}`, cookie: `session=${TOKEN}` },
      { ...GRANTED, 'x-request-id': `${JWT}` },
      { ...GRANTED, referer: `https://shop.example/?token=${TOKEN}`, 'user-agent': TOKEN },
    ]) {
      await fetch(`${gateway.url}/api/product/hot`, { headers });
      await fetch(`${gateway.url}/graphql?query={notices{id}}&access_token=${TOKEN}`, { headers });
    }
    expectCleanLog();
  });

  test('writes no line of its own into the log', async () => {
    for (const bytes of [
      `GET /api/notice/list?\u001b[2J HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      `GET /api/notice/%0a${encodeURIComponent(FORGED)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      `GET /\u009b31m HTTP/1.1\r\nhost: x\r\nx-request-id: a\u0085b\r\nconnection: close\r\n\r\n`,
      `GET /livez HTTP/1.1\r\nhost: x\r\nx-request-id: a\n${FORGED}\r\nconnection: close\r\n\r\n`,
      `${FORGED}\n\n`,
    ]) {
      await sendRaw(gateway.url, Buffer.from(bytes, 'latin1'));
    }
    expectCleanLog();
  });
});

describe('a start that fails', () => {
  test('shows no password, whichever variable it was put into', () => {
    const url = 'postgresql://shop:canary-password@db.example/shop';
    const faults: Record<string, string> = {
      PORT: url,
      HOST: url,
      DATABASE_URL: `x${url}`,
      DATABASE_POOL_SIZE: `Bearer ${TOKEN}`,
      LOG_LEVEL: JWT,
      GRAPHIQL: `\u001b[2J${url}`,
      ACCESS_TOKENS: 'canary!',
      CORS_ORIGINS: 'https://shop:canary-password@shop.example',
      JWKS_URL: 'https://shop:canary-password@issuer.example/keys',
    };
    expect(() => readConfig(faults)).toThrow(/faults:\n {2}PORT /);
    try {
      readConfig(faults);
    } catch (error) {
      expect(String(error).replaceAll('CANARY', '')).not.toMatch(/canary|eyJ/);
      expect(String(error).split('\n')).toHaveLength(1 + Object.keys(faults).length);
    }
  });

  test.for([
    'postgresql://shop:canary-1@db.example:99999/shop',
    'postgresql://shop:canary-1@[::1/shop',
    'postgresql://shop:can@ary#canary@db.example/shop',
    'postgresql://shop:canary-1@',
  ])('%s is a URL that is not whole', (DATABASE_URL) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow(/DATABASE_URL must be a whole URL.*, but is "…"/);
  });

  test('names no file of a certificate that cannot be read', () => {
    const DATABASE_URL = 'postgresql://shop:canary@db.example/shop?sslmode=verify-full&sslrootcert=/canary/ca.pem';
    expect(() => readConfig({ DATABASE_URL })).toThrow(/DATABASE_URL must name certificates .*, but is "…"/);
  });

  test('shows no password of a database that does not let us in', async () => {
    await using folder = await temporaryFolder();
    const certificate = await folder.write('ca.pem', 'canary-certificate');
    const { host } = new URL(database.url);
    const urls = [
      `postgresql://nobody:canary-password@${host}/shop`,
      `postgresql://shop:canary-password@127.0.0.1:1/shop`,
      `postgresql://shop:canary-password@${host}/shop?sslmode=verify-full&sslrootcert=${certificate}`,
    ];
    const outputs = await Promise.all(
      urls.map(async (DATABASE_URL) => {
        const command = runCli(['migrate'], { DATABASE_URL, DATABASE_WAIT_MS: '0' });
        expect(await command.ended).toBe(1);
        return command.output();
      }),
    );
    for (const output of outputs) expect(output).not.toContain('canary');
  });
});

test('what a terminal would obey is written out for it, and the frames of a stack stay lines', () => {
  const line = JSON.stringify({
    msg: 'a\u001b[2J\r\n12:00:00 INFO: forged\u009b',
    requestId: 'x\u202e',
    err: { message: 'm\nm', stack: 'Error: m\u001b[1A\n    at a (b.ts:1:1)' },
  });
  expect(JSON.parse(forTerminal(line))).toEqual({
    msg: 'a\\u001b[2J\\u000d\\u000a12:00:00 INFO: forged\\u009b',
    requestId: 'x\\u202e',
    err: { message: 'm\\u000am', stack: 'Error: m\\u001b[1A\n    at a (b.ts:1:1)' },
  });
});
