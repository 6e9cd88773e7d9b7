import { describe, expect, test } from 'vitest';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

const csv = (name: 'price' | 'stock', ...values: readonly string[]): string =>
  `name,category,price,stock\n${values.map((value, at) => `P${at},C,${name === 'price' ? `"${value}",3` : `1,"${value}"`}\n`).join('')}`;

describe.each(['price', 'stock'] as const)('a %s that can be read in two ways', (name) => {
  const stored = () => column(`select ${name}::float from product order by id`);

  test('is refused with its row, whatever the other columns say', async () => {
    const { created, faults } = await importText(csv(name, '1.000', '7', '12.000', '8', '9'));
    expect(created).toBe(3);
    const reason = (first: number, second: number) =>
      `can be ${first} or ${second}: say --decimal . for the first, or --decimal , for the second`;
    expect(faults).toEqual([
      { line: 2, column: name, value: '1.000', reason: reason(1, 1000) },
      { line: 4, column: name, value: '12.000', reason: reason(12, 12_000) },
    ]);
  });

  test.each(['9.0', '0.000', '1000.000', '4.0000'])(
    'is read as %s of its column says, wherever that stands',
    async (telling) => {
      for (const values of [
        ['1.000', telling],
        [telling, '1.000'],
      ]) {
        await sql('truncate product cascade');
        expect(await importText(csv(name, ...values))).toMatchObject({ created: 2, faults: [] });
        expect((await stored()).toSorted()).toEqual([1, Number(telling)].toSorted());
      }
    },
  );

  test('is read as the operator says', async () => {
    await importText(csv(name, '1.000'), { decimal: '.' });
    expect(await stored()).toEqual([1]);
    await importText(csv(name, '1.000', '12.345.678').replace('P1', 'P2'), { decimal: ',' });
    expect(await stored()).toEqual([1000, 12_345_678]);
    await importText(csv(name, '1,000'), { decimal: '.' });
    expect(await stored()).toEqual([1000, 12_345_678]);
  });

  test('is none in JSON, which has numbers', async () => {
    const row = (value: string) => `{"name":"A","category":"C","price":1,"${name}":${value}}\n`;
    expect(await importText(row('4.000'))).toMatchObject({ created: 1, faults: [] });
    expect(await stored()).toEqual([4]);
    expect(await importText(row('5.000'), { decimal: ',' })).toMatchObject({ changed: 1, faults: [] });
    expect(await stored()).toEqual([5]);
  });
});

test('rows keep the order of the file while they wait for what the rest of it says', async () => {
  const { created, faults } = await importText('name,category,price\nMug,C,1.000\nMug,C,2.50\nMug,C,3.000\n');
  expect({ created, faults }).toEqual({ created: 3, faults: [] });
  expect(await sql('select slug, price from product order by slug')).toEqual([
    { slug: 'mug', price: '1.00' },
    { slug: 'mug-2', price: '2.50' },
    { slug: 'mug-3', price: '3.00' },
  ]);
});

test('of variants whose prices can be read in two ways none is the cheapest', async () => {
  const rows = ['tee,Tee,Tops,TEE-1,1.000', 'tee,,,TEE-2,20.00'];
  const { created, faults } = await importText(`Handle,Title,Type,Variant SKU,Variant Price\n${rows.join('\n')}\n`);
  expect(created).toBe(0);
  expect(faults).toMatchObject([{ line: 2, column: 'Variant Price', value: '["1.000","20.00"]' }]);
});

describe('a currency', () => {
  const row = (currency: string) => ({ slug: currency, name: currency, category: 'C', price: 1, currency });

  test.each(['VED', 'CLF', 'UYW', 'COU', 'MXV', 'USN', 'eur', 'HRK'])('%s is known', async (code) => {
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    expect(await importText(jsonLines([row(code)]), { onWarning })).toMatchObject({ created: 1, faults: [] });
    expect({ warnings, currency: await column('select currency from product') }).toEqual({
      warnings: [],
      currency: [code.toUpperCase()],
    });
  });

  test('of no list is stored, with a warning for the file', async () => {
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    expect(await importText(jsonLines([row('EUR'), row('QQQ'), row('EURO')]), { onWarning })).toMatchObject({
      created: 2,
    });
    expect(warnings).toEqual(['neither ISO 4217 nor CLDR has the currency QQQ']);
  });
});
