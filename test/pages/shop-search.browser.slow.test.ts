import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser, isTooWide, poll } from '../support/browser.ts';
import { useShopVisits } from '../support/shop-visits.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const namesOn = (page: Page): Promise<string[]> => page.locator('main .tile h3').allInnerTexts();
const shownCount = (page: Page): Promise<string> => page.locator('main [role=status]').innerText();
const searchOf = (page: Page): string => decodeURIComponent(new URL(page.url()).search);

describe.skipIf(!hasBrowser)('whoever looks for something in the demo shop', () => {
  const shop = useShopVisits();

  test('types, is given suggestions, and takes one by keyboard', async () => {
    const page = await shop.open('/demo');
    const field = page.getByRole('combobox', { name: 'Search the shop' });
    await field.pressSequentially('cook');
    const option = page.getByRole('option', { name: 'Cookware' });
    await option.waitFor();
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    expect(await findBarriers(page)).toEqual([]);
    const names = await page.getByRole('option').allInnerTexts();
    const position = names.findIndex((name) => name.includes('Cookware'));
    for (let step = 0; step <= position; step += 1) await page.keyboard.press('ArrowDown');
    expect(await option.getAttribute('aria-selected')).toBe('true');
    expect(await field.getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cookware' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/demo/category/4');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  });

  test('closes the suggestions with Escape, and takes one with a click', async () => {
    const page = await shop.open('/demo');
    await page.getByRole('combobox').pressSequentially('skill');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').isVisible()).toBe(false);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Cast-Iron Skillet/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Cast-Iron Skillet, 26 cm' }).waitFor();
  });

  test('keeps the cursor in the field that they went to while the next page was loading', async () => {
    const page = await shop.open('/demo');
    let answer: (() => Promise<void>) | undefined;
    await page.route('**/graphql?*Product*', (route) => {
      answer ??= () => route.continue();
    });
    await page.locator('.grid a').first().click();
    await poll(() => answer).toBeDefined();
    const field = page.getByRole('combobox', { name: 'Search the shop' });
    await field.focus();
    await answer?.();
    await page.locator('article.product').waitFor();
    await page.keyboard.type('skill');
    expect(await field.inputValue()).toBe('skill');
  });

  test('finds what was typed, with the words marked, and filters it by what is counted', async () => {
    const page = await shop.open('/demo');
    await page.getByRole('combobox').fill('linen');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Results for “linen”' }).waitFor();
    expect(searchOf(page)).toBe('?q=linen');
    expect(await page.locator('mark').first().innerText()).toMatch(/linen/i);
    const all = await namesOn(page);
    const brand = page.getByRole('checkbox', { name: /^Ashdown Loom/ });
    const label = await page.locator('label', { has: brand }).innerText();
    await brand.check();
    await poll(() => searchOf(page)).toBe('?q=linen&brand=Ashdown+Loom');
    const counted = Number(/\d+$/.exec(label)?.[0]);
    await poll(() => shownCount(page)).toBe(`${counted} products`);
    expect(await page.evaluate('document.activeElement.value')).toBe('Ashdown Loom');
    expect((await namesOn(page)).length).toBe(counted);
    await page.getByLabel('Order').selectOption('Price, lowest first');
    await poll(() => searchOf(page)).toContain('order=PRICE_ASC');
    expect(searchOf(page)).toContain('brand=Ashdown+Loom');
    await page.goBack();
    await page.goBack();
    await poll(() => namesOn(page)).toEqual(all);
    expect(await page.getByRole('checkbox', { name: /^Ashdown Loom/ }).isChecked()).toBe(false);
  });

  test('opens a link to a selection, takes filters away one by one, and all at once', async () => {
    const page = await shop.open('/demo/search?q=linen&brand=Ashdown+Loom&stock=1&min=0&max=99.99');
    const chosen = page.getByRole('list', { name: 'Chosen filters' });
    expect((await chosen.getByRole('listitem').allTextContents()).map((text) => text.trim())).toEqual([
      'Without Ashdown Loom',
      'Without $0.00 – $99.99',
      'Without In stock',
      'Clear all',
    ]);
    expect(await page.getByRole('checkbox', { name: /^In stock/ }).isChecked()).toBe(true);
    await chosen.getByRole('link', { name: 'Without In stock' }).click();
    await poll(() => searchOf(page)).toBe('?q=linen&brand=Ashdown+Loom&min=0&max=99.99');
    await page.getByRole('link', { name: 'Clear all' }).click();
    await poll(() => searchOf(page)).toBe('?q=linen');
    await page.locator('.chips').waitFor({ state: 'detached' });
  });

  test('is told what was found in place of a slip of the pen, and that nothing was found', async () => {
    const page = await shop.open('/demo/search?q=skilet');
    await page.getByText('Nothing has “skilet”. This is what has “skillet”.').waitFor();
    await page.goto(`${shop.server.url}/demo/search?q=xqzwvk`);
    await page.getByText('No product is like that.').waitFor();
    expect(await isTooWide(page)).toBe(false);
  });

  test('pages through everything by links, and comes back to where it was', async () => {
    const page = await shop.open('/demo/search?order=NAME_ASC', PHONE);
    const first = await namesOn(page);
    expect(first).toHaveLength(24);
    await page.getByRole('link', { name: 'Next →' }).click();
    await poll(() => searchOf(page)).toBe('?order=NAME_ASC&page=2');
    await poll(async () => (await namesOn(page)).some((name) => first.includes(name))).toBe(false);
    expect(await page.getByRole('link', { name: 'Page 2' }).getAttribute('aria-current')).toBe('page');
    await page.getByRole('link', { name: 'Page 6' }).click();
    await poll(() => namesOn(page)).toHaveLength(141 - 5 * 24);
    await page.goBack();
    await page.goBack();
    await poll(() => namesOn(page)).toEqual(first);
    expect(await isTooWide(page)).toBe(false);
  });

  test('sees the query behind the page, and opens it in GraphiQL', async () => {
    const page = await shop.open('/demo/search?q=linen&brand=Ashdown+Loom');
    const button = page.getByRole('button', { name: /^The query behind this page/ });
    await poll(() => button.innerText()).toMatch(/ms · from (memory|the database)$/);
    await button.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'The query behind this page' });
    expect(await drawer.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['Search', 'Frame']);
    expect(await drawer.getByRole('region', { name: 'Variables of Search' }).innerText()).toContain('"Ashdown Loom"');
    expect(await drawer.locator('dd').nth(1).innerText()).toMatch(/^vitrine; /);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await drawer.isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('drawer-button');
    await button.click();
    await drawer.getByRole('link', { name: 'Open in GraphiQL' }).first().click();
    await page.locator('.graphiql-query-editor').getByText('Search', { exact: true }).first().waitFor();
    await page.locator('.graphiql-editor-tool').getByText('"Ashdown Loom"').waitFor();
  });

  test('opens branches of the menu by keyboard, and finds a category by its name', async () => {
    const page = await shop.open('/demo', PHONE);
    const button = page.getByRole('button', { name: 'Categories' });
    await button.focus();
    await page.keyboard.press('Enter');
    const menu = page.getByRole('dialog', { name: 'Categories' });
    await menu.getByRole('button', { name: 'Below Outdoors' }).press('Enter');
    await menu.getByRole('link', { name: 'Trail & Camp' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await menu.getByRole('searchbox', { name: 'Find a category' }).fill('statio');
    await menu.getByRole('link', { name: /^Stationery/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Stationery' }).waitFor();
    expect(await menu.isVisible()).toBe(false);
  });

  test('reads descriptions in HTML as text, and nothing in them runs', async () => {
    const html = `<h3>Made to last</h3><p>Heavy &amp; plain.<br>Oil it.</p><ul><li>iron</li></ul><img src="/x.png" onerror="document.title='run'">`;
    await shop.server.database.sql(`update product set description = '${html.replaceAll("'", "''")}' where id = 1`);
    await expect.poll(async () => (await fetch(`${shop.server.url}/api/product/1`)).text()).toContain('Made to last');
    const page = await shop.open('/demo/product/1');
    expect(await page.locator('.text').innerText()).toBe('Made to last\n\nHeavy & plain.\nOil it.\n\n• iron');
    expect(await page.title()).toBe('Cast-Iron Skillet, 26 cm · Demo shop');
  });
});

describe.skipIf(!hasBrowser)('with 1,500 categories', () => {
  const shop = useShopVisits();

  test.for([
    ['a desktop', {}],
    ['a phone', PHONE],
  ] as const)('the menu fits the window of %s and leads to each of them', async ([, options]) => {
    await shop.server.database.sql(
      `insert into category (parent_id, name, slug, position)
       select null, 'Department ' || i, 'department-' || i, i from generate_series(1, 150) i
       on conflict do nothing;
       insert into category (parent_id, name, slug)
       select d.id, 'Shelf ' || d.position || '-' || i || ' of things with long names', 'shelf-' || d.position || '-' || i
       from category d, generate_series(1, 9) i where d.slug like 'department-%'
       on conflict do nothing`,
    );
    await expect
      .poll(async () => (await fetch(`${shop.server.url}/graphql?query={categories{id}}`)).text())
      .toMatch(/^.{1500}/);
    const page = await shop.open('/demo', options);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole('button', { name: 'Categories' }).click();
    const menu = page.getByRole('dialog', { name: 'Categories' });
    expect(await menu.getByRole('link').count()).toBe(153);
    const box = await menu.boundingBox();
    const { width = 0, height = 0 } = page.viewportSize() ?? {};
    expect((box?.width ?? Number.NaN) <= width && (box?.height ?? Number.NaN) <= height).toBe(true);
    const branch = menu.getByRole('button', { name: 'Below Department 150', exact: true });
    await branch.scrollIntoViewIfNeeded();
    await branch.click();
    await menu.getByRole('link', { name: 'Shelf 150-9 of things' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shelf 150-9 of things' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').allInnerTexts()).toEqual([
      'Shop',
      'Department 150',
    ]);
    expect(await isTooWide(page)).toBe(false);
  });
});
