import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/rest/routes.ts';
import {
  type DemoServer,
  hasBrowser,
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

/** The demo shop once it shows its view. */
const openShop = async (path: string, options?: BrowserContextOptions, allowed?: RegExp): Promise<Page> => {
  const page = await open(path, options, allowed);
  await page.locator('main h1').waitFor();
  await page.locator('#menu a').first().waitFor();
  return page;
};

/** What an independent checker finds against WCAG 2.2 A and AA. */
const findBarriers = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

describe.skipIf(!hasBrowser)('in a browser', { timeout: 30_000 }, () => {
  beforeAll(async () => {
    [browser, server] = await Promise.all([launchBrowser(), startDemoServer()]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  afterEach(async ({ task }) => {
    await visit?.end(task.name);
    visit = undefined;
  });

  describe('the front page', () => {
    test('counts while one looks', async () => {
      const page = await open('/');
      const hits = page.locator('#cacheHits');
      const before = Number(await hits.innerText());
      for (const _ of [1, 2, 3]) await fetch(`${server.url}/api/product/hot`);
      await expect.poll(async () => Number(await hits.innerText()), { timeout: 10_000 }).toBeGreaterThan(before);
    });

    test('runs its query, and the one that a visitor writes, and opens that in GraphiQL', async () => {
      const page = await open('/', {}, /400/);
      await page.getByText('"Welcome to the new shop window"').waitFor();
      await page.getByLabel('A query to edit and run').fill('{ product(id: 11) { name } }');
      await page.keyboard.press('Control+Enter');
      await page.getByText('"name": "Crème Brûlée').waitFor();
      await page.getByText(/^200 · [\d.]+ ms · vitrine; /).waitFor();
      await page.getByLabel('A query to edit and run').fill('{ nothing }');
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('Cannot query field').waitFor();
      await page.getByRole('link', { name: 'Open in GraphiQL' }).click();
      await page.locator('.graphiql-query-editor').getByText('nothing').first().waitFor();
    });

    test.for([
      ['a desktop', {}],
      ['a phone in the dark', { ...PHONE, ...DARK }],
    ] as const)('has no barriers on %s, and its first stop is its query', async ([, options]) => {
      const page = await open('/', options);
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.id')).toBe('query');
    });
  });

  describe('the REST reference', () => {
    test.for([
      ['light', {}],
      ['dark', DARK],
    ] as const)('shows the paths and tries one, %s', async ([, options]) => {
      const page = await open('/docs', options);
      await page.locator('.opblock').first().waitFor();
      expect(await page.locator('.opblock-summary-path').allInnerTexts()).toHaveLength(ROUTES.length);
      await page.locator('#operations-product-ProductList .opblock-summary-control').click();
      const answering = page.waitForResponse((response) => response.url().includes('/api/product/list'));
      await page.locator('#operations-product-ProductList .execute').click();
      const answer = await answering;
      expect(new URL(answer.url()).search).toBe('?categoryIds=4,5&orderBy=PRICE_ASC&limit=20');
      await page
        .getByText(/"slug": "linen-look-paper-napkins/)
        .first()
        .waitFor();
    });

    test('runs every path without a warning, and shows no padlock where nothing is locked', async () => {
      const page = await open('/docs');
      await page.locator('.opblock').first().waitFor();
      for (const path of await page.locator('.opblock-summary-control').all()) await path.click();
      const runs = page.locator('.execute');
      await expect.poll(() => runs.count()).toBe(ROUTES.length);
      for (const run of await runs.all()) await run.click();
      await expect.poll(() => page.locator('.live-responses-table').count()).toBe(ROUTES.length);
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

  describe('the demo shop', () => {
    test.for([
      ['/demo', { ...PHONE, ...DARK }],
      ['/demo/category/4?order=NAME_ASC', DARK],
      ['/demo/category/1', PHONE],
      ['/demo/product/2', { ...PHONE, ...DARK }],
      ['/demo/notices?page=2', PHONE],
      ['/demo/notice/2', { ...PHONE, ...DARK }],
    ] as const)('at %s has no barriers and fits the window', async ([path, options]) => {
      const page = await openShop(path, options);
      expect(await findBarriers(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
    });

    test('shows what the API answers, in its order', async () => {
      const page = await openShop('/demo');
      const grids = await page.locator('.grid').all();
      const shown = await Promise.all(grids.map((grid) => grid.locator('h3').allInnerTexts()));
      const ask = async (path: string) =>
        (await fetch(`${server.url}${path}?limit=8`)).json() as Promise<{ name: string }[]>;
      for (const [index, path] of ['/api/product/hot', '/api/product/new'].entries()) {
        expect(shown[index]).toEqual((await ask(path)).map(({ name }) => name));
      }
      const [first] = (await (await fetch(`${server.url}/api/notice/list`)).json()) as { title: string }[];
      expect(await page.locator('#notice-bar .title').innerText()).toBe(first?.title);
    });

    test('has no notice bar while no notice is in effect, and has it again with the next notice', async () => {
      const published = await server.database.sql(
        `update notice set status = 'WITHDRAWN' where status = 'PUBLISHED' returning id`,
      );
      try {
        await expect
          .poll(async () => (await fetch(`${server.url}/api/notice/list`)).json(), { timeout: 10_000 })
          .toEqual([]);
        const page = await openShop('/demo');
        await expect.poll(() => page.locator('#notice-bar').isVisible()).toBe(false);
        await visit?.end('without notices');
        visit = undefined;
      } finally {
        const ids = published.map(({ id }) => id).join(', ');
        await server.database.sql(`update notice set status = 'PUBLISHED' where id in (${ids})`);
      }
      await expect
        .poll(async () => (await fetch(`${server.url}/api/notice/list`)).json(), { timeout: 10_000 })
        .not.toEqual([]);
      const again = await openShop('/demo');
      await again.locator('#notice-bar .title').waitFor();
    });

    test('goes to a product and back to where one was, without loading the page again', async () => {
      const page = await openShop('/demo', PHONE);
      await page.evaluate('window.isSameDocument = true');
      const tile = page.locator('.grid').nth(1).locator('a').nth(4);
      await tile.scrollIntoViewIfNeeded();
      const name = await tile.innerText();
      const scrolled = await page.evaluate<number>('scrollY');
      await expect.poll(() => page.evaluate('history.state?.scroll')).toBe(scrolled);
      await tile.click();
      await page.locator('article.product').waitFor();
      expect(await page.title()).toBe(`${name} · Demo shop`);
      expect(await page.evaluate('document.activeElement.textContent')).toBe(name);
      expect(await page.evaluate('scrollY')).toBe(0);
      await page.goBack();
      await page.locator('.grid').nth(1).waitFor();
      await expect.poll(() => page.evaluate('scrollY')).toBe(scrolled);
      await page.goForward();
      await page.locator('article.product').waitFor();
      expect(await page.evaluate('window.isSameDocument')).toBe(true);
    });

    test('orders a category by keyboard, keeps the order in the address, and goes back', async () => {
      const page = await openShop('/demo/category/6');
      const select = page.getByLabel('Order');
      const prices = async () =>
        (await page.locator('.price ins, .price:not(:has(ins))').allInnerTexts()).map((text) =>
          Number(text.replace(/[^\d.]/g, '')),
        );
      const bestSelling = await prices();
      await select.focus();
      await page.keyboard.type('Price, l');
      await expect.poll(prices).toEqual(bestSelling.toSorted((a, b) => a - b));
      expect(new URL(page.url()).search).toBe('?order=PRICE_ASC');
      expect(await page.evaluate('document.activeElement.name')).toBe('order');
      await page.goBack();
      await expect.poll(prices).toEqual(bestSelling);
    });

    test('writes prices and times as the visitor does', async () => {
      const page = await openShop('/demo/product/2', { locale: 'de-DE' });
      const [price] = await page.locator('.product .price ins').allInnerTexts();
      expect(price).toBe('52,50\u00a0$');
      await page.getByText('2.960 sold').waitFor();
      await visit?.end('in German');
      const far = await openShop('/demo/notice/2', { locale: 'en-GB', timezoneId: 'Pacific/Kiritimati' });
      const [iso, text] = [
        await far.locator('time').first().getAttribute('datetime'),
        await far.locator('time').first().innerText(),
      ];
      const local = new Date(Date.parse(iso ?? '') + 14 * 3_600_000).toISOString();
      expect(text).toContain(local.slice(11, 16));
    });

    test('pages through the notices, finds some and says when there are none', async () => {
      const page = await openShop('/demo/notices');
      const titles = () => page.locator('.notices h2').allInnerTexts();
      const first = await titles();
      expect(first).toHaveLength(6);
      await page.getByRole('link', { name: 'Next' }).click();
      await page.getByText('Page 2 of 3').waitFor();
      expect((await titles()).some((title) => first.includes(title))).toBe(false);
      await page.getByLabel('Search').fill('100% nothing');
      await page.keyboard.press('Enter');
      await page.getByText('No notice is like that.').waitFor();
      await page.getByLabel('Search').fill('linen');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByText('1 notice', { exact: true }).waitFor();
      await page.goto(`${server.url}/demo/notices?page=99&type=PROMOTION`);
      await page.getByText('There are not so many pages.').waitFor();
    });

    test('shows a notice with its counter, which counts this view', async () => {
      const page = await openShop('/demo/notice/4');
      const read = async () =>
        Number(/read ([\d,]+) times/.exec(await page.locator('main').innerText())?.[1]?.replaceAll(',', ''));
      const before = await read();
      await page.reload();
      await page.locator('main h1').waitFor();
      expect(await read()).toBe(before + 1);
    });

    test('says that there is nothing where nothing is', async () => {
      const page = await openShop('/demo/nothing/here');
      for (const path of ['product/999999', 'category/0', 'notice/21', 'product/abc', 'product/99999999999']) {
        await page.goto(`${server.url}/demo/${path}`);
        expect(await page.locator('main h1').innerText()).toMatch(/^There is no such/);
        expect(await page.title()).toBe('Not found · Demo shop');
      }
    });

    test('shows a letter where there is no picture or it does not load', async () => {
      await server.database.sql(`update product set image_url = null, image_urls = '{}' where id = 11`);
      await server.database.sql(`update product set image_url = '/images/No.svg' where id = 12`);
      const page = await openShop(
        '/demo/category/4?order=NAME_ASC',
        { viewport: { width: 1366, height: 4000 } },
        /404/,
      );
      await expect.poll(() => page.locator('.no-picture').count()).toBe(2);
      await page.goto(`${server.url}/demo/product/11`);
      await page.locator('.stage .no-picture').waitFor();
    });

    test('tells what went wrong, and tries again', async () => {
      const page = await openShop('/demo', {}, /ERR_FAILED|503/);
      await page.route('**/graphql?**', (route) => route.abort());
      await page.locator('.grid a').first().click();
      await page.getByText('The shop cannot be reached.').waitFor();
      await page.unroute('**/graphql?**');
      await page.route('**/graphql?**', (route) =>
        route.fulfill({
          status: 503,
          json: { errors: [{ message: 'Away.', extensions: { code: 'SERVICE_UNAVAILABLE' } }] },
        }),
      );
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Away.').waitFor();
      await page.unroute('**/graphql?**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('article.product').waitFor();
    });

    test('asks for the token where the gateway wants one', async () => {
      const open = server;
      server = await startDemoServer({ ACCESS_TOKENS: TOKEN });
      try {
        visit = await startVisit(browser, server.url, {}, /401/);
        const { page } = visit;
        await page.goto(`${server.url}/demo`);
        await page.getByLabel('Access token').fill(TOKEN);
        await page.keyboard.press('Enter');
        await page.locator('.grid').first().waitFor();
        await visit.end('with a token');
        visit = undefined;
      } finally {
        await server.stop();
        server = open;
      }
    });
  });
});
