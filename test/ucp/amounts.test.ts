import { expect, test } from 'vitest';
import { boundsOf, priceOf } from '../../src/ucp/amount.ts';
import { barcodeOf } from '../../src/ucp/catalog.ts';

const minorOf = (amount: string, currencyCode: string): number => priceOf({ amount, currencyCode }).amount;

test('amounts are in the minor unit of ISO 4217, rounded half away from zero where the currency has no smaller one', () => {
  expect(minorOf('12.34', 'USD')).toBe(1234);
  expect(minorOf('0.29', 'EUR')).toBe(29);
  expect(minorOf('15.49', 'JPY')).toBe(15);
  expect(minorOf('15.50', 'JPY')).toBe(16);
  expect(minorOf('1.05', 'KWD')).toBe(1050);
  expect(minorOf('1.05', 'IQD')).toBe(1050);
  expect(minorOf('1.05', 'CLF')).toBe(10_500);
  expect(minorOf('123.45', 'HUF')).toBe(12_345);
  expect(minorOf('123.45', 'MGA')).toBe(12_345);
  expect(minorOf('999999999999.99', 'USD')).toBe(99_999_999_999_999);
});

test('bounds find just the prices that are shown within them', () => {
  const cents = [0, 1, 49, 50, 51, 99, 100, 149, 150, 151, 199, 250, 1549, 1550, 1649, 1650, 12_345];
  for (const currency of ['USD', 'JPY', 'KWD', 'CLF']) {
    for (const min of [0, 1, 2, 15, 16, 30, 50, 70, 100, 1000, 10_000]) {
      for (const max of [0, 1, 2, 16, 100, 1005, 15_500]) {
        const { minPrice, maxPrice } = boundsOf({ min, max }, currency);
        for (const each of cents) {
          const amount = (each / 100).toFixed(2);
          const isShown = minorOf(amount, currency) >= min && minorOf(amount, currency) <= max;
          const isFound = Number(amount) >= Number(minPrice) && Number(amount) <= Number(maxPrice);
          expect([currency, min, max, amount, isFound]).toEqual([currency, min, max, amount, isShown]);
        }
      }
    }
  }
});

test('a barcode has the type of its length, and none where its check digit is wrong', () => {
  expect(barcodeOf('4006381333931')).toEqual({ type: 'EAN', value: '4006381333931' });
  expect(barcodeOf('96385074')).toEqual({ type: 'EAN', value: '96385074' });
  expect(barcodeOf('036000291452')).toEqual({ type: 'UPC', value: '036000291452' });
  expect(barcodeOf('10036000291459')).toEqual({ type: 'GTIN', value: '10036000291459' });
  for (const none of ['4006381333932', '080442957X', '12345', 'A006381333931', ''])
    expect(barcodeOf(none)).toBeUndefined();
});
