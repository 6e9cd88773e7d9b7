import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { camelCase, ROWS, type VariableName } from '../../src/config/variables.ts';
import { PAGES } from '../../src/pages/pages.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const TOKEN = 'a-token-0123456789';
const BROWSER = { accept: 'text/html' };
const basic = (user: string, password: string) => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` });

/** `DOCS` of `docs` */
const variableOf = (exposure: string): string => exposure.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const HTML_PAGES = PAGES.map(({ path }) => path).filter((path) => !path.endsWith('.json'));

const database = await shared(createTestDatabase());
// But for what is off until an operator wants it.
const unconfigured = await shared(createTestGateway(database, { UCP: 'on' }));

/** Every resource behind a switch: its variable, and how to ask for it. */
const EXPOSED: [variable: string, target: string, headers: Record<string, string>][] = [
  ...PAGES.flatMap(({ exposure, path }): typeof EXPOSED => (exposure ? [[variableOf(exposure), path, BROWSER]] : [])),
  ['METRICS', '/metrics', {}],
];

test('every switch is tried by the tests below', () => {
  const switches = ROWS.filter(([, { value }]) => value.optionType === 'Exposed');
  expect(
    switches.filter(([name]) => !EXPOSED.some(([variable]) => variable === name)),
    'a variable whose value is an exposure needs a row in src/pages/pages.ts with "exposure", or one in EXPOSED here',
  ).toEqual([]);
  expect(EXPOSED.map(([variable, target]) => `${variable} ${target}`)).toEqual(
    expect.arrayContaining(['GRAPHIQL /graphql', 'DOCS /openapi.json', 'DOCS /docs', 'DEMO /demo']),
  );
});

const SWITCHES = [...new Set(EXPOSED.map(([variable]) => variable))];

/** The values of each switch at three gateways: no two switches have the same, so that none is taken for another. */
const VALUES = [
  ['off', 'on', 'token'],
  ['on', 'token', 'off'],
  ['token', 'off', 'on'],
  ['off', 'token', 'on'],
  ['on', 'off', 'token'],
  ['token', 'on', 'off'],
];

const switched: TestGateway[] = [];
for (const place of [0, 1, 2]) {
  const values = Object.fromEntries(SWITCHES.map((variable, index) => [variable, VALUES[index]?.[place] ?? '']));
  switched.push(await shared(createTestGateway(database, { ...values, ACCESS_TOKENS: TOKEN })));
}

const gatewayWith = (variable: string, value: string): TestGateway => {
  const gateway = switched[VALUES[SWITCHES.indexOf(variable)]?.indexOf(value) ?? -1];
  if (!gateway) throw new Error(`no gateway has ${variable}=${value}`);
  return gateway;
};

describe.for(EXPOSED)('%s', ([variable, target, headers]) => {
  test('shows its pages to everybody where nothing is configured', async () => {
    expect((await unconfigured.get(target, headers)).status).toBe(200);
  });

  test('with "off" there are none', async () => {
    const gateway = gatewayWith(variable, 'off');
    const answer = await gateway.get(target, { ...headers, authorization: `Bearer ${TOKEN}` });
    expect(answer.text).not.toContain('<html');
    expect(answer.status).toBe(target === '/graphql' ? 406 : 404);
  });

  test('with "on" they are open beside tokens', async () => {
    const gateway = gatewayWith(variable, 'on');
    expect((await gateway.get(target, headers)).status).toBe(200);
  });

  test('with "token" they want one, which a browser may send as a password', async () => {
    const gateway = gatewayWith(variable, 'token');
    for (const credentials of [
      {},
      basic('', 'wrong-token-0123'),
      basic(TOKEN, ''),
      { authorization: `Basic ${TOKEN}` },
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const refused = await gateway.request(method, target, { ...headers, ...credentials });
        expect(refused).toMatchObject({
          status: 401,
          headers: { 'www-authenticate': expect.stringMatching(/^Basic realm="/), 'cache-control': 'no-store' },
        });
      }
    }
    for (const credentials of [basic('', TOKEN), basic('anybody', TOKEN), { authorization: `Bearer ${TOKEN}` }]) {
      const opened = await gateway.get(target, { ...headers, ...credentials });
      expect(opened.status).toBe(200);
      expect(opened.headers['cache-control']).not.toContain('public');
      expect(opened.headers.vary).toContain('authorization');
      const { etag } = opened.headers;
      if (etag === undefined) continue;
      for (const known of [etag, `"other", ${etag}`, '*']) {
        const ifKnown = { ...headers, 'if-none-match': known };
        const answer = await gateway.get(target, { ...ifKnown, ...credentials });
        expect(answer, known).toMatchObject({ status: 304, text: '', headers: { etag } });
        expect((await gateway.get(target, ifKnown)).status).toBe(401);
      }
    }
  });

  test('takes the words that mean on and off', () => {
    const meaning = (value: string) => readConfig({ [variable]: value })[camelCase(variable as VariableName)];
    expect(['off', 'FALSE', '0', 'no'].map(meaning)).toEqual(Array(4).fill('off'));
    expect(['on', 'True', '1', 'yes'].map(meaning)).toEqual(Array(4).fill('on'));
  });

  test('with "token" and no tokens stops the start', () => {
    expect(() => readConfig({ [variable]: 'token' })).toThrow(`${variable} must be on or off`);
    expect(() => readConfig({ [variable]: 'perhaps' })).toThrow(`${variable} must be on, off or token`);
  });
});

const restricted = await shared(createTestGateway(database, { ACCESS_TOKENS: TOKEN }));

test('beside tokens the pages of GraphiQL and of the demo are open, and what tells of the service is not', async () => {
  expect((await restricted.get('/graphql', BROWSER)).status).toBe(200);
  expect((await restricted.get('/demo', BROWSER)).status).toBe(200);
  expect((await restricted.get('/openapi.json')).status).toBe(401);
  expect((await restricted.get('/docs', BROWSER)).status).toBe(401);
  expect((await restricted.get('/metrics')).status).toBe(401);
});

test('the assets of GraphiQL are as open as its page', async () => {
  await using gateway = await createTestGateway(database, { ACCESS_TOKENS: TOKEN, GRAPHIQL: 'token' });
  const page = await gateway.get('/graphql', { ...BROWSER, ...basic('', TOKEN) });
  const asset = /\/graphiql\/[^"]+\/start\.js/.exec(page.text)?.[0] ?? '';
  expect((await gateway.get(asset)).status).toBe(401);
  const opened = await gateway.get(asset, basic('', TOKEN));
  expect(opened.status).toBe(200);
  expect(opened.headers['cache-control']).toBe('private, max-age=31536000, immutable');
  expect((await gateway.get('/graphiql/nothing')).status).toBe(401);
  expect((await gateway.get('/graphiql/nothing', basic('', TOKEN))).status).toBe(404);
});

test('a password opens no operation', async () => {
  for (const target of ['/graphql?query={notices{id}}', '/api/notice/list']) {
    const answer = await restricted.get(target, basic('', TOKEN));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
  }
});

test('a page loads nothing from elsewhere, stands in no frame and gives no address away', async () => {
  for (const path of [...HTML_PAGES, '/demo/product/1']) {
    const { headers } = await unconfigured.get(path, BROWSER);
    // A catalogue's pictures are wherever its back office keeps them.
    const policy = (headers['content-security-policy'] ?? '').replace("img-src 'self' https: data:", '');
    expect(policy, path).toMatch(/^default-src 'none'; /);
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(policy, path).not.toMatch(/http|\*|unsafe-eval|script-src[^;]*unsafe/);
    expect(headers, path).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  }
});
