import { describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser, poll } from '../support/browser.ts';
import { useShopVisits } from '../support/shop-visits.ts';

const TOKEN = 'a-token-0123456789';
const PREVIEW_TOKEN = 'a-preview-token-0123456789';

describe.skipIf(!hasBrowser)('while one looks at the demo shop', () => {
  const shop = useShopVisits();

  test('the notice bar follows the back office', async () => {
    const page = await shop.open('/demo');
    const title = page.locator('#notice-bar .title');
    await page.evaluate('window.isSameDocument = true');
    await shop.server.database.sql(
      `insert into notice (title, content, pinned, level) values ('The bakery is open', 'Bread from seven.', true, 'URGENT')`,
    );
    await poll(() => title.innerText()).toBe('The bakery is open');
    await shop.server.database.sql(`update notice set title = 'The bakery is shut' where title = 'The bakery is open'`);
    await poll(() => title.innerText()).toBe('The bakery is shut');
    await shop.server.database.sql(`update notice set ends_at = now() where title = 'The bakery is shut'`);
    await poll(() => title.innerText()).not.toBe('The bakery is shut');
    expect(await page.evaluate('window.isSameDocument')).toBe(true);
  });

  test('price and stock of a product follow the back office, and so does its end', async () => {
    const page = await shop.open('/demo/product/3');
    const offer = page.locator('.offer');
    await shop.server.database.sql('update product set price = 123.45, list_price = null, stock = 3 where id = 3');
    await poll(() => offer.innerText()).toBe('$123.45\n\nOnly 3 left\n\nItem VT-0003');
    await shop.server.database.sql('update product set stock = 0 where id = 3');
    await poll(() => offer.innerText()).toBe('$123.45\n\nSold out\n\nItem VT-0003');
    await shop.server.database.sql(`update product set status = 'OFF_SALE' where id = 3`);
    await poll(() => offer.innerText()).toBe('No longer on sale');
    await shop.server.database.sql(`update product set status = 'ON_SALE', stock = 20 where id = 3`);
    await poll(() => offer.innerText()).toBe('$123.45\n\nIn stock: 20\n\nItem VT-0003');
  });

  test('an amount keeps its decimals, whatever is usual for its currency', async () => {
    const { sql } = shop.server.database;
    await sql(`update product set price = 123.45, list_price = null, currency = 'IQD' where id = 5`);
    const page = await shop.open('/demo/product/5');
    const offer = page.locator('.offer');
    await poll(() => offer.innerText()).toMatch(/^IQD\s123\.45\n/);
    await sql('update product set price = 1234 where id = 5');
    await poll(() => offer.innerText()).toMatch(/^IQD\s1,234\n/);
    await sql(`update product set currency = 'KWD' where id = 5`);
    await poll(() => offer.innerText()).toMatch(/^KWD\s1,234\.00\n/);
  });

  test('a product that one has left is followed no longer', async () => {
    const page = await shop.open('/demo/product/4');
    const streams = () =>
      fetch(`${shop.server.url}/metrics`).then(async (response) =>
        Number(/^vitrine_subscriptions(?:\{\})? (\d+)$/m.exec(await response.text())?.[1]),
      );
    await poll(streams).toBe(2);
    await page.getByRole('link', { name: 'Shop', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
    await poll(streams).toBe(1);
  });
});

describe.skipIf(!hasBrowser)('with trusted documents only', () => {
  const file = new URL('../../examples/shop/trusted-documents.json', import.meta.url).pathname;
  const shop = useShopVisits({ TRUSTED_DOCUMENTS: file, TRUSTED_DOCUMENTS_ONLY: 'true' });

  test('the demo shop searches, suggests, opens its menu and lives', async () => {
    const page = await shop.open('/demo/search?q=linen');
    await page.getByRole('button', { name: 'Categories' }).click();
    await page.getByRole('button', { name: 'Below Outdoors' }).click();
    await page.getByRole('link', { name: 'Garden' }).click();
    await page.getByRole('combobox', { name: 'Search the shop' }).pressSequentially('skill');
    await page.getByRole('option', { name: /^Cast-Iron Skillet/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Cast-Iron Skillet, 26 cm' }).waitFor();
    await shop.server.database.sql('update product set stock = 2 where id = 1');
    await poll(() => page.locator('.offer').innerText()).toContain('Only 2 left');
  });
});

describe.skipIf(!hasBrowser)('where the gateway wants a token', () => {
  const shop = useShopVisits({ ACCESS_TOKENS: TOKEN });

  test('the demo shop asks for it', async () => {
    const page = await shop.open('/demo', {}, /401/);
    await page.getByLabel('Access token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.locator('.grid').first().waitFor();
  });
});

describe.skipIf(!hasBrowser)('with a preview token', () => {
  const shop = useShopVisits({ PREVIEW_TOKENS: PREVIEW_TOKEN });

  test('the demo shop is shown as it will be, until the preview ends', async () => {
    await shop.server.database.sql(
      `insert into notice (title, content, pinned, starts_at) values ('Christmas is near', 'Soon.', true, now() + interval '20 days')`,
    );
    const page = await shop.open(`/demo#preview=${PREVIEW_TOKEN}`);
    expect(page.url()).toBe(`${shop.server.url}/demo`);
    const bar = page.getByRole('complementary', { name: 'Preview' });
    const title = page.locator('#notice-bar .title');
    const now = await title.innerText();
    const later = new Date(Date.now() + 21 * 86_400_000).toISOString().slice(0, 16);
    await bar.getByLabel('Show the shop at').fill(later);
    await bar.getByRole('button', { name: 'Show', exact: true }).click();
    await poll(() => title.innerText()).toBe('Christmas is near');
    await bar.getByText('Preview: this is not the shop of now.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.reload();
    await poll(() => title.innerText()).toBe('Christmas is near');
    await bar.getByRole('button', { name: 'End the preview' }).click();
    await poll(() => title.innerText()).toBe(now);
    expect(await bar.isVisible()).toBe(false);
  });

  test('that is wrong, the demo shop says so', async () => {
    const page = await shop.open('/demo#preview=not-a-token-0123456789', {}, /401/);
    await page.getByLabel('Show the shop at').fill('2030-01-01T00:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'This did not work' }).waitFor();
    await page.getByRole('button', { name: 'End the preview' }).click();
    await page.locator('.grid').first().waitFor();
  });
});
