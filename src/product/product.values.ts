import type { Product } from '../database/generated/client/client.ts';
import { StoredDecimal, StoredRow } from '../database/stored-row.ts';
import type { SortedProduct } from './product.order.ts';

// What a notification says that a product is now. The trigger writes it where nothing else of a visible product has changed
// (prisma/migrations/20261125000000_changed_values): change both together.
const VALUES = /^-?\d+(\.\d+)?,(-|-?\d+(\.\d+)?),-?\d+,-?\d+,-?\d+,-?\d+$/;

interface Values {
  readonly price: string;
  readonly listPrice: string | null;
  readonly stock: string;
  readonly sales: string;
  readonly updatedUs: bigint;
  readonly publishedUs: number;
}

const readValues = (values: string): Values | undefined => {
  if (!VALUES.test(values)) return undefined;
  const [price = '', listPrice = '', stock = '', sales = '', updatedUs = '', publishedUs] = values.split(',');
  return {
    price,
    listPrice: listPrice === '-' ? null : listPrice,
    stock,
    sales,
    updatedUs: BigInt(updatedUs),
    publishedUs: Number(publishedUs),
  };
};

/** @param values such as `12.50,-,4,100,1790000000123456,1780000000000000` @returns undefined where they cannot be read */
export const withValues = (product: Product, values: string): Product | undefined => {
  const now = readValues(values);
  if (!now || !(product instanceof StoredRow)) return undefined;
  const { price, listPrice, stock, sales, updatedUs } = now;
  return product.with({ price, listPrice, stock, sales, updatedAt: timestampOf(updatedUs) }) as StoredRow & Product;
};

/** As lists need it. @param values as above */
export const sortedProductOf = (id: number, categoryId: number, values: string): SortedProduct | undefined => {
  const now = readValues(values);
  if (!now) return undefined;
  const { publishedUs } = now;
  return {
    id,
    categoryId,
    status: 'ON_SALE',
    price: new StoredDecimal(now.price) as StoredDecimal & Product['price'],
    sales: Number(now.sales),
    publishedAt: new Date(Math.floor(publishedUs / 1000)),
    publishedUs,
  };
};

/** As PostgreSQL writes it in our sessions: `2026-11-20 08:30:00.1234+00`. @param us since 1970; after the year 2255 no number has them all */
const timestampOf = (us: bigint): string => {
  const ofMs = ((us % 1000n) + 1000n) % 1000n;
  const [day, time = ''] = new Date(Number((us - ofMs) / 1000n)).toISOString().slice(0, -1).split('T');
  return `${day} ${`${time}${String(ofMs).padStart(3, '0')}`.replace(/\.?0+$/, '')}+00`;
};
