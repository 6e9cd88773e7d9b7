import { describe, expect, test } from 'vitest';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const linksOf = (html: string): string[] => [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href);

const database = await shared(createDemoDatabase());

describe('the front page', () => {
  test('is one small page for browsers, with nothing from anywhere else', async () => {
    await using gateway = await createTestGateway(database);
    const { status, headers, text } = await gateway.get('/', BROWSER);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(text.length).toBeLessThan(12_288);
    expect(text.match(/(?:src|href)="(?!\.\/[a-z.]+"|data:)[^"]*"/g)).toBeNull();
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+'; script-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    const loud = await gateway.get('/graphql', { accept: BROWSER.accept.toUpperCase() });
    expect(loud.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(await gateway.request('HEAD', '/', BROWSER)).toMatchObject({ status: 200 });
    expect(await gateway.request('POST', '/', BROWSER)).toMatchObject({ status: 405 });
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

  test('leads only to what is switched on', async () => {
    await using gateway = await createTestGateway(database, {
      GRAPHIQL: 'off',
      DOCS: 'off',
      DEMO: 'off',
      METRICS: 'off',
    });
    const { text } = await gateway.get('/', BROWSER);
    expect(linksOf(text)).toEqual(['./graphql', './readyz']);
    expect(text).not.toContain('GraphiQL');
    for (const path of ['/docs', '/demo', '/demo/product/1'])
      expect((await gateway.get(path, BROWSER)).status).toBe(404);
  });

  test('leads to what answers', async () => {
    await using gateway = await createTestGateway(database);
    const links = linksOf((await gateway.get('/', BROWSER)).text);
    expect(links).toHaveLength(6);
    for (const link of links) expect((await gateway.get(link.slice(1), BROWSER)).status, link).toBe(200);
  });
});
