import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type DemoServer,
  hasBrowser,
  launchBrowser,
  poll,
  startDemoServer,
  startVisit,
  type Visit,
} from '../support/browser.ts';
import { hasNginx, startStrippingNginx } from '../support/nginx.ts';
import type { ProxyProcess } from '../support/proxy-process.ts';

let browser: Browser;
let server: DemoServer;
let proxy: ProxyProcess;
let visit: Visit | undefined;

const open = async (path: string): Promise<Page> => {
  visit = await startVisit(browser, proxy.url);
  await visit.page.goto(proxy.url + path);
  return visit.page;
};

describe.skipIf(!hasBrowser || !hasNginx)('behind nginx, which strips /shop', () => {
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startDemoServer()]);
    proxy = await startStrippingNginx(server, '/shop');
  }, 60_000);

  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  afterEach(async ({ task }) => {
    const paths = [...(visit?.answered ?? [])];
    await visit?.end(task.name);
    visit = undefined;
    expect(paths.filter((path) => !path.startsWith('/shop/'))).toEqual([]);
  });

  test('the links of the front page lead to what they name', async () => {
    const page = await open('/shop/');
    const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(links).toHaveLength(6);
    for (const link of links) {
      expect(link).toContain('/shop/');
      expect((await fetch(link, { headers: { accept: 'text/html, */*' } })).status, link).toBe(200);
    }
  });

  test('GraphiQL knows the schema and runs an operation', async () => {
    const page = await open('/shop/graphql?query={notices{title}}');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.getByText('"Welcome to the new shop window"').waitFor();
  });

  test('the REST reference tries a path', async () => {
    const page = await open('/shop/docs');
    await page.getByText('/api/product/hot', { exact: true }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('Server response').waitFor();
    await poll(() => visit?.answered.has('/shop/api/product/hot')).toBe(true);
    await page.getByRole('link', { name: 'Vitrine' }).click();
    await page.getByRole('heading', { name: 'Vitrine' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/shop/');
  });

  test('the demo shop shows products with their pictures, from any address of it, and goes on from there', async () => {
    const page = await open('/shop/demo/product/1');
    await page.getByRole('heading', { name: 'Cast-Iron Skillet, 26 cm' }).waitFor();
    await poll(() =>
      page
        .locator('main img')
        .first()
        .evaluate((image) => (image as HTMLImageElement).naturalWidth),
    ).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Demo shop' }).click();
    await poll(() => new URL(page.url()).pathname).toBe('/shop/demo');
    await page.getByLabel('Search the shop').first().fill('skillet');
    await page.keyboard.press('Enter');
    await poll(() => new URL(page.url()).pathname).toBe('/shop/demo/search');
    await page
      .getByRole('link', { name: /Cast-Iron Skillet/ })
      .first()
      .click();
    await poll(() => new URL(page.url()).pathname).toBe('/shop/demo/product/1');
    await page.getByRole('link', { name: 'Demo shop' }).click();
    await page.getByRole('button', { name: 'The query behind this page' }).click();
    const link = await page.getByRole('link', { name: 'Open in GraphiQL' }).first().getAttribute('href');
    expect(new URL(String(link), page.url()).pathname).toBe('/shop/graphql');
  });

  test('the addresses of the reference lead below the prefix', async () => {
    const { servers } = (await (await fetch(`${proxy.url}/shop/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    expect(servers.map(({ url }) => new URL(url, `${proxy.url}/shop/openapi.json`).pathname)).toEqual(['/shop/']);
  });
});
