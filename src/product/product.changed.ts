import type { RowNow } from '../cache/tags.ts';
import type { Product } from '../database/generated/client/client.ts';
import { StoredDecimal, StoredRow } from '../database/stored-row.ts';
import type { SortedProduct } from './product.order.ts';
import { readValues } from './product.values.ts';

/** A product that is known, as it is now. @param values that were notified of it @returns undefined where they cannot be read */
export const withValues = (product: Product, values: string): Product | undefined => {
  const now = readValues(values);
  if (!now || !(product instanceof StoredRow)) return undefined;
  const { price, listPrice, stock, sales, updatedUs } = now;
  return product.with({ price, listPrice, stock, sales, updatedAt: timestampOf(BigInt(updatedUs)) }) as StoredRow &
    Product;
};

/** The same, as lists need it. */
export const sortedProductOf = ({ id, groupId, values }: RowNow): SortedProduct | undefined => {
  const now = readValues(values);
  if (!now) return undefined;
  const publishedUs = Number(now.publishedUs);
  return {
    id,
    categoryId: groupId,
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
