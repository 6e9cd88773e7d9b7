import { describe, expect, test, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createCatalogueCounts } from '../../src/pages/front-page.ts';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway } from '../support/gateway.ts';
import { takeAway } from '../support/outages.ts';
import { shared } from '../support/shared.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const TOKEN = 'a-token-0123456789';

const database = await shared(createDemoDatabase());

/** The numbers that the page shows, by their names in JSON. */
const shownNumbers = (html: string): Record<string, string | undefined> =>
  Object.fromEntries([...html.matchAll(/<dd id="(\w+)">([^<]*)</g)].map(([, name, text]) => [name, text]));

describe('the front page', () => {
  test('is one small page for browsers, with nothing from anywhere else', async () => {
    await using gateway = await createTestGateway(database);
    const { status, headers, text } = await gateway.get('/', BROWSER);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text.length).toBeLessThan(12_288);
    expect(text.match(/(?:src|href)="(?!\.\/[a-z.]+"|data:)[^"]*"/g)).toBeNull();
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+'; script-src 'sha256-[^;]+' 'sha256-[^;]+';/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    for (const path of ['/', '/graphql']) {
      const loud = await gateway.get(path, { accept: BROWSER.accept.toUpperCase() });
      expect(loud.headers['content-type'], path).toBe('text/html; charset=utf-8');
    }
    expect(await gateway.request('HEAD', '/', BROWSER)).toMatchObject({ status: 200 });
    expect(await gateway.request('POST', '/', BROWSER)).toMatchObject({ status: 405 });
  });

  test('is JSON for everybody else', async () => {
    await using gateway = await createTestGateway(database);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await gateway.get('/', headers);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'accept' });
      expect(answer.json).toEqual({
        name: 'vitrine',
        description: packageJson.description,
        version: packageJson.version,
        numbers: expect.objectContaining({ products: 141, noticesInEffect: 14 }),
        links: expect.objectContaining({ graphql: '/graphql', docs: '/docs', demo: '/demo', readiness: '/readyz' }),
      });
    }
  });

  test('shows numbers that live', async () => {
    await using gateway = await createTestGateway(database, { FRESHNESS_MS: '1000' });
    await gateway.get('/api/product/hot');
    await gateway.get('/api/product/hot');
    expect(shownNumbers((await gateway.get('/', BROWSER)).text)).toMatchObject({
      products: '141',
      noticesInEffect: '14',
      cacheHits: '1',
      cacheMisses: '1',
    });
    await database.sql(`update product set status = 'OFF_SALE' where id = 1`);
    await database.sql(`update notice set ends_at = now() where id = 1`);
    await expect
      .poll(async () => shownNumbers((await gateway.get('/', BROWSER)).text))
      .toMatchObject({ products: '140', noticesInEffect: '13' });
    await database.sql(`update product set status = 'ON_SALE' where id = 1`);
    await database.sql(`update notice set ends_at = null where id = 1`);
  });

  test('says what is special, with the freshness that holds here', async () => {
    for (const [FRESHNESS_MS, words] of [
      ['250', 'within 250 ms'],
      ['0', 'at once'],
    ] as const) {
      await using gateway = await createTestGateway(database, { FRESHNESS_MS });
      expect((await gateway.get('/', BROWSER)).text).toContain(`every change of your database ${words}: nothing`);
    }
  });

  test('has a query to run only where a browser may run it', async () => {
    const form = async (environment: Record<string, string>) => {
      await using gateway = await createTestGateway(database, environment);
      const { text } = await gateway.get('/', { ...BROWSER, authorization: `Bearer ${TOKEN}` });
      return [text.includes('<textarea'), text.includes('id="explorer"')];
    };
    expect(await form({})).toEqual([true, true]);
    expect(await form({ GRAPHIQL: 'off' })).toEqual([true, false]);
    expect(await form({ ACCESS_TOKENS: TOKEN })).toEqual([false, false]);
    const file = new URL('../../examples/shop/trusted-documents.json', import.meta.url).pathname;
    expect(await form({ TRUSTED_DOCUMENTS: file, TRUSTED_DOCUMENTS_ONLY: 'true' })).toEqual([false, false]);
  });

  test('is counted once for all who look within a second', async () => {
    await using gateway = await createTestGateway(database);
    const look = () => Promise.all(Array.from({ length: 50 }, () => gateway.get('/', BROWSER)));
    // One statement for each number.
    expect(await gateway.countStatements(look)).toBe(2);
  });

  test('spends at most a twentieth of the time of one connection on counting', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      let reads = 0;
      const rows = async (): Promise<unknown> => {
        vi.advanceTimersByTime(100);
        reads += 1;
        return [{ count: reads }];
      };
      const count = createCatalogueCounts(
        [{ name: 'rows', label: 'Rows', statement: { text: 'select count(*)' } }],
        { rows } as never,
        { nowMs: Date.now } as never,
      );
      expect(await count()).toEqual([1]);
      vi.advanceTimersByTime(1999);
      expect(await count()).toEqual([1]);
      vi.advanceTimersByTime(1);
      expect(await count()).toEqual([2]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('leads only to what is switched on', async () => {
    await using gateway = await createTestGateway(database, {
      GRAPHIQL: 'off',
      DOCS: 'off',
      DEMO: 'off',
      METRICS: 'off',
    });
    const { links } = (await gateway.get('/')).json as { links: object };
    expect(links).toEqual({ graphql: '/graphql', readiness: '/readyz' });
    const { text } = await gateway.get('/', BROWSER);
    expect(text).not.toContain('GraphiQL');
    for (const path of ['/docs', '/demo', '/demo/product/1']) {
      expect(text).not.toContain(`"${path}"`);
      expect((await gateway.get(path, BROWSER)).status).toBe(404);
    }
  });

  test('leads to what answers', async () => {
    await using gateway = await createTestGateway(database);
    const { links } = (await gateway.get('/')).json as { links: Record<string, string> };
    for (const path of Object.values(links)) expect((await gateway.get(path, BROWSER)).status, path).toBe(200);
    const { headers } = await gateway.get('/');
    expect(headers.link).toBe(
      '<./docs>; rel="service-doc", <./openapi.json>; rel="service-desc", <./readyz>; rel="status"',
    );
  });

  test('keeps its numbers for those with a token, where there are tokens', async () => {
    await using gateway = await createTestGateway(database, { ACCESS_TOKENS: TOKEN });
    const { json } = await gateway.get('/');
    expect(Object.keys(json as object)).toEqual(['name', 'description', 'links']);
    expect(shownNumbers((await gateway.get('/', BROWSER)).text)).toEqual({});
    const granted = await gateway.get('/', { authorization: `Bearer ${TOKEN}` });
    expect(granted.json).toMatchObject({ numbers: { products: 141 } });
  });

  test('is there without the database, and says so', async () => {
    await using lost = await createDemoDatabase();
    await using gateway = await createTestGateway(lost);
    const giveBack = await takeAway(lost);
    const { status, text } = await gateway.get('/', BROWSER);
    expect({ status, ...shownNumbers(text) }).toMatchObject({ status: 200, products: '–', cacheHits: '0' });
    expect(text).toContain('<p role="status">The database does not answer.</p>');
    await giveBack();
    await expect
      .poll(async () => shownNumbers((await gateway.get('/', BROWSER)).text))
      .toMatchObject({ products: '141' });
  });
});
