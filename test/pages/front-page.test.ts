import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const TOKEN = 'a-token-0123456789';

const database = await shared(createDemoDatabase());

describe('the front page', () => {
  test('is one small page for browsers, with nothing from anywhere else', async () => {
    await using gateway = await createTestGateway(database);
    const { status, headers, text } = await gateway.get('/', BROWSER);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text.length).toBeLessThan(12_288);
    expect(text.match(/(?:src|href)="(?!\.\/[a-z.]+"|data:)[^"]*"/g)).toBeNull();
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+'; script-src 'sha256-[^;]+';/,
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
        links: expect.objectContaining({ graphql: '/graphql', docs: '/docs', demo: '/demo', readiness: '/readyz' }),
      });
    }
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
});
