import { describe, expect, test } from 'vitest';
import { useImportDatabase } from '../support/import.ts';

const { column, importText } = useImportDatabase();

const csv = (name: 'price' | 'stock', ...values: readonly string[]): string =>
  `name,category,price,stock\n${values.map((value, at) => `P${at},C,${name === 'price' ? `"${value}",3` : `1,"${value}"`}\n`).join('')}`;

describe.each(['price', 'stock'] as const)('a %s that can be read in two ways', (name) => {
  const stored = () => column(`select ${name}::float from product order by id`);

  test('is refused with its row, whatever the other rows say', async () => {
    const { created, faults } = await importText(csv(name, '1.000', '7', '12.000', '8.00', '9'));
    expect(created).toBe(3);
    const reason = (first: number, second: number) =>
      `can be ${first} or ${second}: say --decimal . for the first, or --decimal , for the second`;
    expect(faults).toEqual([
      { line: 2, column: name, value: '1.000', reason: reason(1, 1000) },
      { line: 4, column: name, value: '12.000', reason: reason(12, 12_000) },
    ]);
  });

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
