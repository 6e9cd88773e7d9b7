import { describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser, isTooWide, poll } from '../support/browser.ts';
import { useShopVisits } from '../support/shop-visits.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DARK = { colorScheme: 'dark' } as const;

describe.skipIf(!hasBrowser)('the demo shop', () => {
  const shop = useShopVisits();

  test.for([
    ['/demo', { ...PHONE, ...DARK }],
    ['/demo/category/4?order=NAME_ASC', DARK],
    ['/demo/category/1', PHONE],
    ['/demo/search?q=linen&brand=Ashdown+Loom', DARK],
    ['/demo/search?q=linen&stock=1', PHONE],
    ['/demo/product/2', { ...PHONE, ...DARK }],
    ['/demo/notices?page=2', PHONE],
    ['/demo/notice/2', { ...PHONE, ...DARK }],
  ] as const)('at %s has no barriers and fits the window', async ([path, options]) => {
    const page = await shop.open(path, options);
    expect(await findBarriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });

  test.for([
    ['/demo', {}],
    ['/demo', PHONE],
    ['/demo/search?q=linen', {}],
  ] as const)('at %s nothing moves while it loads', async ([path, options]) => {
    const page = await shop.open('/', options);
    await page.addInitScript(
      `window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { shift += value; })).observe({ type: 'layout-shift', buffered: true });`,
    );
    await page.goto(`${shop.server.url}${path}`);
    await page.locator('main:not([aria-busy]) .tile img').first().waitFor();
    await poll(() => page.evaluate('document.images[0].complete')).toBe(true);
    await poll(() => page.locator('#drawer-button').textContent()).toMatch(/ms/);
    expect(await page.evaluate('shift')).toBeLessThan(0.05);
  });

  test('shows what the API answers, in its order', async () => {
    const page = await shop.open('/demo');
    const grids = await page.locator('.grid').all();
    const shown = await Promise.all(grids.map((grid) => grid.locator('h3').allInnerTexts()));
    const ask = async (path: string) =>
      (await fetch(`${shop.server.url}${path}?limit=8`)).json() as Promise<{ name: string }[]>;
    for (const [index, path] of ['/api/product/hot', '/api/product/new'].entries()) {
      expect(shown[index]).toEqual((await ask(path)).map(({ name }) => name));
    }
    const [first] = (await (await fetch(`${shop.server.url}/api/notice/list`)).json()) as { title: string }[];
    expect(await page.locator('#notice-bar .title').innerText()).toBe(first?.title);
  });

  test('has no notice bar while no notice is in effect, and has it again with the next notice', async () => {
    const published = await shop.server.database.sql(
      `update notice set status = 'WITHDRAWN' where status = 'PUBLISHED' returning id`,
    );
    try {
      await expect.poll(async () => (await fetch(`${shop.server.url}/api/notice/list`)).json()).toEqual([]);
      const page = await shop.open('/demo');
      expect(await page.locator('#notice-bar').isVisible()).toBe(false);
      await shop.end();
    } finally {
      const ids = published.map(({ id }) => id).join(', ');
      await shop.server.database.sql(`update notice set status = 'PUBLISHED' where id in (${ids})`);
    }
    await expect.poll(async () => (await fetch(`${shop.server.url}/api/notice/list`)).json()).not.toEqual([]);
    const again = await shop.open('/demo');
    await again.locator('#notice-bar .title').waitFor();
  });

  test('goes to a product and back to where one was, without loading the page again', async () => {
    const page = await shop.open('/demo', PHONE);
    await page.evaluate('window.isSameDocument = true');
    const tile = page.locator('.grid').nth(1).locator('a').nth(4);
    await tile.scrollIntoViewIfNeeded();
    const name = await tile.innerText();
    const scrolled = await page.evaluate<number>('scrollY');
    await poll(() => page.evaluate('history.state?.scroll')).toBe(scrolled);
    await tile.click();
    await page.locator('article.product').waitFor();
    expect(await page.title()).toBe(`${name} · Demo shop`);
    expect(await page.evaluate('document.activeElement.textContent')).toBe(name);
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await page.locator('.grid').nth(1).waitFor();
    await poll(() => page.evaluate('scrollY')).toBe(scrolled);
    await page.goForward();
    await page.locator('article.product').waitFor();
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });

  test('orders a category by keyboard, keeps the order in the address, and goes back', async () => {
    const page = await shop.open('/demo/category/6');
    const select = page.getByLabel('Order');
    const prices = async () =>
      (await page.locator('.price ins, .price:not(:has(ins))').allInnerTexts()).map((text) =>
        Number(text.replace(/[^\d.]/g, '')),
      );
    const bestSelling = await prices();
    await select.focus();
    await page.keyboard.type('Price, l');
    await poll(prices).toEqual(bestSelling.toSorted((a, b) => a - b));
    expect(new URL(page.url()).search).toBe('?order=PRICE_ASC');
    expect(await page.evaluate('document.activeElement.name')).toBe('order');
    await page.goBack();
    await poll(prices).toEqual(bestSelling);
  });

  test('writes prices and times as the visitor does', async () => {
    const page = await shop.open('/demo/product/2', { locale: 'de-DE' });
    const [price] = await page.locator('.product .price ins').allInnerTexts();
    expect(price).toBe('52,50\u00a0$');
    await page.getByText('2.960 sold').waitFor();
    await shop.end();
    const far = await shop.open('/demo/notice/2', { locale: 'en-GB', timezoneId: 'Pacific/Kiritimati' });
    const [iso, text] = [
      await far.locator('time').first().getAttribute('datetime'),
      await far.locator('time').first().innerText(),
    ];
    const local = new Date(Date.parse(iso ?? '') + 14 * 3_600_000).toISOString();
    expect(text).toContain(local.slice(11, 16));
  });

  test('pages through the notices, finds some and says when there are none', async () => {
    const page = await shop.open('/demo/notices');
    const titles = () => page.locator('.notices h2').allInnerTexts();
    const first = await titles();
    expect(first).toHaveLength(6);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByRole('link', { name: 'Page 2', exact: true }).and(page.locator('[aria-current]')).waitFor();
    expect((await titles()).some((title) => first.includes(title))).toBe(false);
    await page.getByRole('search', { name: 'Notices' }).getByLabel('Search').fill('100% nothing');
    await page.keyboard.press('Enter');
    await page.getByText('No notice is like that.').waitFor();
    await page.getByRole('search', { name: 'Notices' }).getByLabel('Search').fill('linen');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('1 notice', { exact: true }).waitFor();
    await page.goto(`${shop.server.url}/demo/notices?page=99&type=PROMOTION`);
    await page.getByText('There are not so many pages.').waitFor();
  });

  test('shows a notice with its counter, which counts this view', async () => {
    const page = await shop.open('/demo/notice/4');
    const read = async () =>
      Number(/read ([\d,]+) times/.exec(await page.locator('main').innerText())?.[1]?.replaceAll(',', ''));
    const before = await read();
    await page.reload();
    await page.locator('main h1').waitFor();
    expect(await read()).toBe(before + 1);
  });

  test('says that there is nothing where nothing is', async () => {
    const page = await shop.open('/demo/nothing/here');
    for (const path of ['product/999999', 'category/0', 'notice/21', 'product/abc', 'product/99999999999']) {
      await page.goto(`${shop.server.url}/demo/${path}`);
      expect(await page.locator('main h1').innerText()).toMatch(/^There is no such/);
      expect(await page.title()).toBe('Not found · Demo shop');
    }
  });

  test('shows a letter where there is no picture or it does not load', async () => {
    await shop.server.database.sql(`update product set image_url = null, image_urls = '{}' where id = 11`);
    await shop.server.database.sql(`update product set image_url = '/images/No.svg' where id = 12`);
    const page = await shop.open('/demo/category/4?order=NAME_ASC', { viewport: { width: 1366, height: 4000 } }, /404/);
    await poll(() => page.locator('.no-picture').count()).toBe(2);
    await page.goto(`${shop.server.url}/demo/product/11`);
    await page.locator('.stage .no-picture').waitFor();
  });

  test('tells what went wrong, and tries again', async () => {
    const page = await shop.open('/demo', {}, /ERR_FAILED|503/);
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
    await poll(() => page.evaluate('document.activeElement.localName')).toBe('h1');
  });

  test('leads past what stands above the content on every page, wherever one began', async () => {
    const page = await shop.open('/demo/category/11');
    await page.getByRole('link', { name: 'Striped Harbour Shirt' }).click();
    await page.getByRole('radio', { name: 'L', exact: true }).check();
    const address = page.url();
    const link = page.getByRole('link', { name: 'To the content' });
    await link.focus();
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Striped Harbour Shirt');
    await page.locator('main:not([aria-busy])').waitFor();
    expect(page.url()).toBe(address);
  });

  test.for([
    ['refuses to keep anything', `get() { throw new DOMException('No.', 'SecurityError'); }`],
    [
      'has no space left',
      `value: { getItem: () => null, removeItem() {}, setItem() { throw new DOMException('No.', 'QuotaExceededError'); } }`,
    ],
  ] as const)('works in a browser that %s', async ([, storage]) => {
    const page = await shop.open('/');
    await page.addInitScript(
      `for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { ${storage} });`,
    );
    await page.goto(`${shop.server.url}/demo/product/2`);
    await page.locator('.offer').waitFor();
    await page.getByRole('link', { name: 'Demo shop' }).click();
    await page.getByRole('heading', { name: 'Recently viewed' }).waitFor();
  });
});
