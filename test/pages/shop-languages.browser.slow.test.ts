import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser, isTooWide } from '../support/browser.ts';
import { useShopVisits } from '../support/shop-visits.ts';

const WINDOWS = [{ viewport: { width: 390, height: 844 } }, { viewport: { width: 1280, height: 900 } }];

/** Addresses of the page in other languages, as search engines find them. */
const alternatesOf = (page: Page) =>
  page
    .locator('link[hreflang]')
    .evaluateAll((links) =>
      links.map((link) => [link.getAttribute('hreflang'), new URL(String(link.getAttribute('href'))).pathname]),
    );

describe.skipIf(!hasBrowser)('the demo shop in several languages', () => {
  const shop = useShopVisits({ LANGUAGES: 'en,de,ja' });

  beforeAll(async () => {
    const { sql } = shop.server.database;
    await sql(`update product set translations = '{}'`);
    await sql(
      `update product set translations = '{"de": {"name": "Kegelfilter aus Papier"}, "ja": {"name": "円すい形フィルター"}}' where id = 42`,
    );
    await sql(`update product set translations = '{"de": {"subtitle": "Ohne Namen"}}' where id = 2`);
  });

  test.for(['', '/de', '/ja'].flatMap((language) => WINDOWS.map((options) => [language, options] as const)))(
    'at /demo%s has no barriers and fits the window',
    async ([language, options]) => {
      const page = await shop.open('/', options);
      for (const path of ['', '/product/42', '/search?q=paper', '/notices']) {
        await shop.goTo(`/demo${language}${path}`);
        expect([path, await findBarriers(page), await isTooWide(page)]).toEqual([path, [], false]);
      }
    },
  );

  test('is switched on each page, and stays in the language', async () => {
    const page = await shop.open('/demo/product/42');
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.locator('#languages a').allInnerTexts()).toEqual(['English', 'Deutsch', '日本語']);
    await page.locator('#languages a[hreflang=de]').click();
    await page.locator('html[lang=de] main:not([aria-busy]) h1').waitFor();
    expect(new URL(page.url()).pathname).toBe('/demo/de/product/42');
    expect(await page.locator('h1').innerText()).toBe('Kegelfilter aus Papier');
    expect(await page.locator('#search-field').getAttribute('placeholder')).toBe('Im Shop suchen');
    await page.locator('header .brand').click();
    await page.locator('h1', { hasText: 'Willkommen' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/demo/de');
    expect(await page.locator('#languages [aria-current]').innerText()).toBe('Deutsch');
  });

  test('tells search engines of the languages that a page is in', async () => {
    const everywhere = [
      ['en', '/demo/product/42'],
      ['de', '/demo/de/product/42'],
      ['ja', '/demo/ja/product/42'],
      ['x-default', '/demo/product/42'],
    ];
    expect(await alternatesOf(await shop.open('/demo/ja/product/42'))).toEqual(everywhere);
    await shop.end();
    expect((await alternatesOf(await shop.open('/demo/product/2'))).map(([language]) => language)).toEqual([
      'en',
      'de',
      'x-default',
    ]);
  });

  test('says of a name that it is in another language', async () => {
    const page = await shop.open('/demo/de/product/2');
    expect(await page.locator('h1').getAttribute('lang')).toBe('en');
    expect(await page.locator('.lead').innerText()).toBe('Ohne Namen');
  });
});

describe.skipIf(!hasBrowser)('the demo shop in one language', () => {
  const shop = useShopVisits();

  test('has no switch', async () => {
    const page = await shop.open('/demo');
    expect(await page.locator('#languages li').count()).toBe(0);
    expect(await alternatesOf(page)).toEqual([]);
  });
});
