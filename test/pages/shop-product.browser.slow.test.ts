import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers, hasBrowser, isTooWide, poll } from '../support/browser.ts';
import { useShopVisits } from '../support/shop-visits.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe.skipIf(!hasBrowser)('the page of a product', () => {
  const shop = useShopVisits();
  let path = '';
  let category = 0;

  // Blue L is not made.
  beforeAll(async () => {
    const { sql } = shop.server.database;
    const [shelf] = await sql<{ id: number }>(
      `insert into category (parent_id, name, slug) values (1, 'Smocks', 'smocks') returning id`,
    );
    category = Number(shelf?.id);
    await sql(
      `insert into product (category_id, name, slug, price, attributes) values ($1, 'Robe', 'robe', 99, '{"Washable": false, "Weight (g)": 900}')`,
      [category],
    );
    const [product] = await sql<{ id: number }>(
      `insert into product (category_id, name, slug, description, brand, price, option_names, attributes, image_urls, image_alts)
      values ($1, 'Smock', 'smock', 'Ends <b>no</b> script: </script><script>window.isBroken = true</script>', 'A </script> & Co', 1, '{Size,Colour}',
        '{"Washable": true, "Weight (g)": 310.5, "Care": ["Wash cold", "Dry flat"], "Seam <i>": "</script>"}',
        '{/images/salt-pig.svg,/images/canvas-laundry-bag.svg,/images/salt-pig-2.svg}', '{A red smock,A blue smock}')
      returning id`,
      [category],
    );
    await sql(
      `insert into product_variant (product_id, option_values, sku, barcode, price, list_price, stock, image_url, position) values
        ($1, '{S,Red}', 'SMOCK-S-RED', '4006381333931', 40, null, 0, '/images/salt-pig.svg', 0),
        ($1, '{M,Red}', 'SMOCK-M-RED', 'no GTIN', 40, null, 12, '/images/salt-pig.svg', 1),
        ($1, '{L,Red}', 'SMOCK-L-RED', null, 45, 50, 3, '/images/salt-pig.svg', 2),
        ($1, '{S,Blue}', null, null, 42, null, 9, '/images/canvas-laundry-bag.svg', 3),
        ($1, '{M,Blue}', null, null, 42, null, 0, '/images/canvas-laundry-bag.svg', 4)`,
      [product?.id],
    );
    path = `/demo/product/${product?.id}`;
  });

  test('has no barriers and fits a phone', async () => {
    const page = await shop.open(`${path}?option.Size=L&option.Colour=Blue`, { ...PHONE, colorScheme: 'dark' });
    expect(await findBarriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  });

  test('begins with what is left, and price, stock and picture follow a choice by keyboard, which the address keeps', async () => {
    const page = await shop.open(path);
    const offer = page.locator('.offer');
    const picture = page.locator('.stage img');
    await poll(() => offer.innerText()).toBe('$40.00\n\nIn stock: 12\n\nItem SMOCK-M-RED');
    expect(await page.getByRole('radio', { name: 'M', exact: true }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'M', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await poll(() => offer.innerText()).toMatch(/\$45.00.*Only 3 left/s);
    expect(new URL(page.url()).search).toBe('?option.Size=L&option.Colour=Red');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.value')).toBe('Red');
    await page.keyboard.press('ArrowRight');
    await poll(() => offer.innerText()).toBe('$42.00\n\nOnly 9 left');
    expect(await picture.getAttribute('alt')).toBe('A blue smock');
    expect(await picture.getAttribute('src')).toBe('/images/canvas-laundry-bag.svg');
    await page.reload();
    await poll(() => offer.innerText()).toBe('$42.00\n\nOnly 9 left');
    expect(await page.getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true);
  });

  test('marks what is sold out, strikes out only what is not made with what else is chosen, and goes to the nearest that is', async () => {
    const page = await shop.open(`${path}?option.Size=M&option.Colour=Red`);
    const radio = (name: string) => page.getByRole('radio', { name, exact: true });
    const offer = page.locator('.offer');
    const isStruck = (value: string) =>
      page.evaluate(
        `getComputedStyle(document.querySelector('.picker label:has([value="${value}"])')).textDecorationLine === 'line-through'`,
      );
    for (const name of ['S sold out', 'M', 'L', 'Red', 'Blue sold out']) await radio(name).waitFor();
    for (const value of ['S', 'Blue']) expect(await isStruck(value)).toBe(false);
    await radio('L').check();
    await radio('Blue not made so').waitFor();
    expect(await isStruck('Blue')).toBe(true);
    await radio('Blue not made so').focus();
    await page.keyboard.press('Space');
    // M is nearer to L than S is, but sold out.
    await poll(() => offer.innerText()).toBe('$42.00\n\nOnly 9 left\n\nBlue is not made in L: S is chosen instead');
    expect(new URL(page.url()).search).toBe('?option.Size=S&option.Colour=Blue');
    expect(await page.evaluate('document.activeElement.value')).toBe('Blue');
    for (const name of ['S', 'M sold out', 'L not made so', 'Blue', 'Red sold out']) await radio(name).waitFor();
    expect(await radio('S').isChecked()).toBe(true);
    await radio('M sold out').check();
    await poll(() => offer.innerText()).toBe('$42.00\n\nSold out');
    expect(await offer.getAttribute('aria-live')).toBe('polite');
    await page.locator('.picker label', { hasText: /^Lnot/ }).click();
    await poll(() => offer.innerText()).toMatch(/\$45.00.*L is not made in Blue: Red is chosen instead/s);
  });

  test('follows the back office in what is chosen', async () => {
    const page = await shop.open(`${path}?option.Size=S&option.Colour=Blue`);
    await shop.server.database.sql(
      `update product_variant set stock = 0 where option_values = '{S,Blue}' or sku = 'SMOCK-L-RED'`,
    );
    await poll(() => page.locator('.offer').innerText()).toBe('$42.00\n\nSold out');
    await page.getByRole('radio', { name: 'Red' }).check();
    await page.getByRole('radio', { name: 'L sold out' }).waitFor();
    await shop.server.database.sql(
      `update product_variant set stock = 9 where option_values = '{S,Blue}' or sku = 'SMOCK-L-RED'`,
    );
    await page.getByRole('radio', { name: 'L', exact: true }).waitFor();
  });

  test('follows the back office in the sizes and colours that there are, from none and to none', async () => {
    const { sql } = shop.server.database;
    const [product] = await sql<{ id: number }>(
      `insert into product (category_id, name, slug, price, stock) values (4, 'Tabard', 'tabard', 30, 20) returning id`,
    );
    const page = await shop.open(`/demo/product/${product?.id}`);
    const offer = page.locator('.offer');
    const values = () =>
      page.locator('.picker input').evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    const make = (...sizes: string[]) =>
      sql(
        `insert into product_variant (product_id, option_values, price, stock, position)
        select $1, array[size], 30 + place, 20, place from unnest($2::text[]) with ordinality each (size, place)`,
        [product?.id, sizes],
      );
    await poll(() => offer.innerText()).toBe('$30.00\n\nIn stock: 20');
    await sql(`update product set option_names = '{Size}' where id = $1`, [product?.id]);
    await make('S', 'M');
    await poll(values).toEqual(['S', 'M']);
    await poll(() => offer.innerText()).toBe('$31.00\n\nIn stock: 20');
    await page.getByRole('radio', { name: 'M' }).focus();
    await page.keyboard.press('Space');
    await make('L');
    await poll(values).toEqual(expect.arrayContaining(['S', 'M', 'L']));
    expect(await page.evaluate('document.activeElement.value')).toBe('M');
    expect(await page.getByRole('radio', { name: 'M' }).isChecked()).toBe(true);
    await sql(`delete from product_variant where product_id = $1 and option_values = '{M}'`, [product?.id]);
    await poll(() => offer.innerText()).toBe('$31.00\n\nIn stock: 20');
    await sql('delete from product_variant where product_id = $1', [product?.id]);
    await sql(`update product set option_names = '{}', price = 29 where id = $1`, [product?.id]);
    await poll(() => offer.innerText()).toMatch(/^\$29.00/);
    expect(await values()).toEqual([]);
  });

  test('fits a phone however long its words are, and writes each text in the direction of its script', async () => {
    const { sql } = shop.server.database;
    const long = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetze';
    const [shelf] = await sql<{ id: number }>(
      `insert into category (parent_id, name, slug) values (1, repeat($1, 3), 'long-words') returning id`,
      [long],
    );
    const [product] = await sql<{ id: number }>(
      `insert into product (category_id, name, slug, subtitle, description, brand, tags, price, option_names, attributes)
      values ($1, repeat($2, 4), 'long-words', 'قميص قطني!', repeat($2, 20), repeat($2, 2), array[$2], 1, array[$2], jsonb_build_object($2, repeat($2, 3)))
      returning id`,
      [shelf?.id, long],
    );
    await sql(
      `insert into product_variant (product_id, option_values, sku, price, stock) values ($1, array[repeat($2, 4)], $2, 1, 1)`,
      [product?.id, long],
    );
    const page = await shop.open(`/demo/product/${product?.id}`, PHONE);
    expect(await isTooWide(page)).toBe(false);
    const [first, last] = await page.evaluate<number[]>(
      `[0, 9].map((place) => {
        const range = document.createRange();
        const text = document.querySelector('.lead').firstChild;
        range.setStart(text, place);
        range.setEnd(text, place + 1);
        return range.getBoundingClientRect().left;
      })`,
    );
    expect(last).toBeLessThan(Number(first));
    const filters = new URLSearchParams({ brand: long + long, [`option.${long}`]: long.repeat(4) });
    for (const path of [`category/${shelf?.id}?${filters}`, 'category/1', `search?q=${long}`]) {
      await page.goto(`${shop.server.url}/demo/${path}`);
      await page.locator('main:not([aria-busy]) h1').waitFor();
      await page.locator('details.filters summary').first().click();
      expect(await isTooWide(page)).toBe(false);
      expect(await findBarriers(page)).toEqual([]);
    }
  });

  test('shows its pictures with what is on them, and its attributes as a table', async () => {
    const page = await shop.open(path);
    const pictures = await page.locator('.thumbs button').all();
    const labels = await Promise.all(pictures.map((button) => button.getAttribute('aria-label')));
    expect(labels).toEqual(['A red smock', 'A blue smock', 'Smock, picture 3']);
    await page.getByRole('button', { name: 'A blue smock' }).press('Enter');
    expect(await page.locator('.stage img').getAttribute('alt')).toBe('A blue smock');
    const rows = await page.getByRole('table', { name: 'Details' }).getByRole('row').allInnerTexts();
    expect(rows.map((row) => row.split('\t'))).toEqual([
      ['Care', 'Wash cold, Dry flat'],
      ['Seam <i>', '</script>'],
      ['Washable', 'Yes'],
      ['Weight (g)', '310.5'],
    ]);
  });

  test('tells search engines of each variant, whatever its texts hold', async () => {
    const page = await shop.open(path);
    const texts = await page.evaluate<string[]>(
      `[...new DOMParser().parseFromString(document.documentElement.outerHTML, 'text/html').querySelectorAll('script[type="application/ld+json"]')]
        .map(({ textContent }) => textContent)`,
    );
    expect(texts).toHaveLength(1);
    const { offers, ...data } = JSON.parse(texts[0] ?? '');
    const at = (where: string): string => shop.server.url + where;
    expect(data).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: 'Smock',
      url: at(path),
      brand: { '@type': 'Brand', name: 'A </script> & Co' },
      category: 'Kitchen & Table > Smocks',
      image: ['/images/salt-pig.svg', '/images/canvas-laundry-bag.svg', '/images/salt-pig-2.svg'].map(at),
    });
    expect(data.description).toMatch(/^Ends no script/);
    expect(data.additionalProperty).toContainEqual({ '@type': 'PropertyValue', name: 'Seam <i>', value: '</script>' });
    const { offers: each, ...range } = offers;
    expect(range).toEqual({
      '@type': 'AggregateOffer',
      lowPrice: '40.00',
      highPrice: '45.00',
      priceCurrency: 'USD',
      offerCount: 5,
    });
    expect(each[0]).toEqual({
      '@type': 'Offer',
      url: at(`${path}?option.Size=S&option.Colour=Red`),
      price: '40.00',
      priceCurrency: 'USD',
      availability: 'https://schema.org/OutOfStock',
      name: 'Smock, S / Red',
      sku: 'SMOCK-S-RED',
      gtin: '4006381333931',
      image: at('/images/salt-pig.svg'),
    });
    expect(each[1]).toMatchObject({ sku: 'SMOCK-M-RED', availability: 'https://schema.org/InStock' });
    expect(each[1]).not.toHaveProperty('gtin');
    expect(await page.evaluate('window.isBroken')).toBeUndefined();
    await page.goto(at('/demo/product/3'));
    await page.getByText('Copper-Core Saucier').first().waitFor();
    const single = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '');
    expect(single.offers).toMatchObject({ '@type': 'Offer', url: at('/demo/product/3'), priceCurrency: 'USD' });
    const { sql } = shop.server.database;
    const [box] = await sql<{ id: number }>(
      `insert into product (category_id, name, slug, price) values (4, '🎁 Gift </script> Box', 'box', 1) returning id`,
    );
    await sql('insert into product_variant (product_id, price) values ($1, 7)', [box?.id]);
    await page.goto(at(`/demo/product/${box?.id}`));
    await page.locator('.stage').getByText('🎁').waitFor();
    const only = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '');
    expect(only.offers).toMatchObject({ lowPrice: '7.00', offerCount: 1, offers: [{ name: '🎁 Gift </script> Box' }] });
  });

  test('shows what is related, and what one has looked at before', async () => {
    const page = await shop.open('/demo/product/2');
    const [related] = (await (
      await fetch(
        `${shop.server.url}/graphql?${new URLSearchParams({ query: '{ product(id: 2) { related(limit: 4) { name } } }' })}`,
      )
    )
      .json()
      .then(({ data }) => [data.product.related])) as [{ name: string }[]];
    const grids = page.locator('.grid');
    expect(await grids.first().locator('h3').allInnerTexts()).toEqual(related.map(({ name }) => name));
    expect(await page.getByRole('heading', { name: 'Recently viewed' }).count()).toBe(0);
    for (const id of [5, 2, 999_999, 7]) {
      await page.goto(`${shop.server.url}/demo/product/${id}`);
      await page.locator('main:not([aria-busy]) h1').waitFor();
    }
    const names = async () => (await grids.last().locator('h3').allInnerTexts()).map((text) => text.split(',')[0]);
    await page.getByRole('heading', { name: 'Recently viewed' }).waitFor();
    const before = await names();
    expect(before).toHaveLength(2);
    await shop.server.database.sql(`update product set status = 'OFF_SALE' where id = 2`);
    await page.evaluate(
      `localStorage.setItem('vitrine-demo-viewed', localStorage.getItem('vitrine-demo-viewed') + ',broken,,1e9')`,
    );
    await page.goto(`${shop.server.url}/demo`);
    await poll(names).toHaveLength(2);
    expect((await names())[1]).toBe(before[1]);
  });

  test('is found by its sizes and colours, its attributes and its numbers', async () => {
    const page = await shop.open(`/demo/category/${category}?stock=1`, PHONE);
    const shown = () => page.locator('main .tile h3').allInnerTexts();
    const searchOf = () => decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '));
    await page.getByText('Filters (1)').click();
    const choice = (group: string, value: RegExp) =>
      page.getByRole('group', { name: group, exact: true }).getByRole('checkbox', { name: value });
    await choice('Colour', /^Blue 1$/).waitFor();
    await choice('Size', /^L 1$/).focus();
    await page.keyboard.press('Space');
    await poll(searchOf).toBe('?stock=1&option.Size=L');
    await choice('Colour', /^Blue/).waitFor({ state: 'detached' });
    await choice('Colour', /^Red 1$/).waitFor();
    await poll(() => page.evaluate('document.activeElement.value')).toBe('L');
    expect(await findBarriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole('link', { name: 'Without Size: L' }).click();
    await page.getByRole('link', { name: 'Without In stock' }).click();
    await choice('Washable', /^No 1$/).check();
    await poll(shown).toEqual(['Robe']);
    await page.getByRole('link', { name: 'Without Washable: No' }).click();
    await poll(shown).toHaveLength(2);
    await page.getByRole('spinbutton', { name: 'Weight (g), at most' }).fill('310.5');
    await page.keyboard.press('Enter');
    await poll(shown).toEqual(['Smock']);
    expect(searchOf()).toBe('?max.Weight (g)=310.5');
    await page.getByRole('spinbutton', { name: 'Weight (g), at least' }).fill('311');
    await page.keyboard.press('Enter');
    await page.getByText('No product is like that.').waitFor();
    await page.getByRole('link', { name: 'Without Weight (g): 311 – 310.5' }).click();
    await poll(shown).toHaveLength(2);
    await page.getByRole('spinbutton', { name: 'Weight (g), at least' }).fill('311');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1000');
    await page.keyboard.press('Tab');
    expect(searchOf()).toBe('');
    await page.keyboard.press('Space');
    await poll(shown).toEqual(['Robe']);
    expect(searchOf()).toBe('?min.Weight (g)=311&max.Weight (g)=1000');
    await poll(() => page.evaluate('document.activeElement.textContent')).toBe('Apply');
  });

  test('has filters of different names for an option, and for attributes that are called as it or as another filter', async () => {
    const { sql } = shop.server.database;
    const [shelf] = await sql<{ id: number }>(
      `insert into category (parent_id, name, slug) values (1, 'Bowls', 'bowls') returning id`,
    );
    const [bowl] = await sql<{ id: number }>(
      `insert into product (category_id, name, slug, brand, price, option_names, attributes)
       values ($1, 'Bowl', 'one-bowl', 'Halden', 1, '{Colour,Weight}', '{"Brand": "Own", "Glaze": "Matt"}') returning id`,
      [shelf?.id],
    );
    await sql(
      `insert into product_variant (product_id, option_values, price) values ($1, '{Blue,Light}', 1), ($1, '{Red,Light}', 1)`,
      [bowl?.id],
    );
    await sql(
      `insert into product (category_id, name, slug, price, attributes) values
         ($1, 'Dish', 'one-dish', 1, '{"colour": "Blue", "Weight": 3}'), ($1, 'Plate', 'one-plate', 1, '{"Weight": 4}')`,
      [shelf?.id],
    );
    const page = await shop.open(`/demo/category/${shelf?.id}`);
    expect((await page.locator('.facets legend').allInnerTexts()).toSorted()).toEqual([
      'Brand',
      'Brand (details)',
      'Colour',
      'Glaze',
      'Weight',
      'Weight (details)',
      'colour (details)',
    ]);
    await page.goto(`${page.url()}?option.Weight=Light&max.Weight=9&attribute.colour=Blue`);
    await page.locator('main:not([aria-busy]) h1').waitFor();
    expect(await page.locator('.chips a').allInnerTexts()).toEqual([
      'Without\nWeight: Light',
      'Without\ncolour: Blue',
      'Without\nWeight (details): up to 9',
      'Clear all',
    ]);
    await page.getByRole('link', { name: 'Without Weight: Light' }).click();
    await poll(() => page.locator('main .tile h3').allInnerTexts()).toEqual(['Dish']);
  });

  test('is found by any of its sizes, also where there are more than fit', async () => {
    const page = await shop.open('/demo/category/11');
    const sizes = page.getByRole('group', { name: 'Size', exact: true });
    await poll(() => sizes.getByRole('checkbox').count()).toBe(12);
    await sizes.getByText('2 more').click();
    await sizes.getByRole('checkbox', { name: /^XL/ }).focus();
    await page.keyboard.press('Space');
    await poll(() => page.locator('main .tile h3').allInnerTexts()).toEqual(['Striped Harbour Shirt']);
    expect(await page.evaluate('document.activeElement.value')).toBe('XL');
  });
});
