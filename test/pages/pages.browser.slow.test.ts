import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/rest/routes.ts';
import {
  type DemoServer,
  findBarriers,
  hasBrowser,
  isTooWide,
  launchBrowser,
  startDemoServer,
  startVisit,
  type Visit,
} from '../support/browser.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const DARK = { colorScheme: 'dark' } as const;
const TOKEN = 'a-token-0123456789';

let browser: Browser;
let server: DemoServer;
let visit: Visit | undefined;

const open = async (path: string, options: BrowserContextOptions = {}, allowed?: RegExp): Promise<Page> => {
  visit = await startVisit(browser, server.url, options, allowed);
  await visit.page.goto(server.url + path);
  return visit.page;
};

describe.skipIf(!hasBrowser)('in a browser', () => {
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startDemoServer()]);
  });

  afterAll(async () => {
    await server?.stop();
  });

  afterEach(async ({ task }) => {
    await visit?.end(task.name);
    visit = undefined;
  });

  describe('the front page', () => {
    test.for([
      ['a desktop', {}],
      ['a phone in the dark', { ...PHONE, ...DARK }],
    ] as const)('has no barriers on %s', async ([, options]) => {
      const page = await open('/', options);
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
    });
  });

  describe('the REST reference', () => {
    test('tries a path with the parameters of its example', async () => {
      const page = await open('/docs', DARK);
      await page.locator('.opblock').first().waitFor();
      await page.locator('#operations-product-ProductList .opblock-summary-control').click();
      const answering = page.waitForResponse((response) => response.url().includes('/api/product/list'));
      await page.locator('#operations-product-ProductList .execute').click();
      const answer = await answering;
      expect(new URL(answer.url()).search).toBe('?categoryIds=4,5&orderBy=PRICE_ASC&limit=20');
      await page
        .getByText(/"slug": "linen-look-paper-napkins/)
        .first()
        .waitFor();
      expect(await page.getByRole('main').count()).toBe(1);
    });

    // Swagger UI takes seconds to show seven responses, more on a busy machine.
    test('runs every path without a warning, and shows no padlock where nothing is locked', {
      timeout: 120_000,
    }, async () => {
      const page = await open('/docs');
      await page.locator('.opblock').first().waitFor();
      // One after another: Swagger UI loses the paths that it is still reading.
      for (const block of await page.locator('.opblock').all()) {
        await block.locator('.opblock-summary-control').click();
        await block.locator('.execute').click();
        await block.locator('.live-responses-table').waitFor();
      }
      expect(await page.locator('.live-responses-table').count()).toBe(ROUTES.length);
      expect(await page.locator('.authorize, .authorization__btn').count()).toBe(0);
    });

    test('shows a padlock at what wants a token, and none at the notice that everybody may read', async () => {
      const open = server;
      server = await startDemoServer({ ACCESS_TOKENS: TOKEN, DOCS: 'on' });
      try {
        visit = await startVisit(browser, server.url);
        const { page } = visit;
        await page.goto(`${server.url}/docs`);
        await page.locator('.opblock').first().waitFor();
        expect(await page.locator('.authorization__btn').count()).toBe(ROUTES.length - 1);
        expect(await page.locator('#operations-notice-Notice .authorization__btn').count()).toBe(0);
        await visit.end('padlocks');
        visit = undefined;
      } finally {
        await server.stop();
        server = open;
      }
    });
  });
});
