import { vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import type { CachedResponse, TestGateway } from './gateway.ts';
import { insertCategory, insertProduct } from './rows.ts';

/** A database with one product, whose price tells how old an answer is. */
export interface PricedProduct extends AsyncDisposable {
  readonly database: TestDatabase;
  /** Gives the `performance.now()` at which the commit was acknowledged. */
  readonly setPrice: (price: number) => Promise<number>;
  /** Its detail by REST. */
  readonly read: (gateway: TestGateway) => Promise<CachedResponse>;
  readonly readPrice: (gateway: TestGateway) => Promise<number>;
  /** Reads until it comes from memory. */
  readonly untilHit: (gateway: TestGateway) => Promise<void>;
}

export const priceIn = ({ text }: CachedResponse): number => Number(/"amount":"([\d.]+)"/.exec(text)?.[1]);

export const createPricedProduct = async (): Promise<PricedProduct> => {
  const database = await createTestDatabase();
  const id = await insertProduct(database, { category_id: await insertCategory(database) });
  const read = (gateway: TestGateway): Promise<CachedResponse> => gateway.get(`/api/product/${id}`);
  return {
    database,
    setPrice: async (price) => {
      await database.sql('update product set price = $1 where id = $2', [price, id]);
      return performance.now();
    },
    read,
    readPrice: async (gateway) => priceIn(await read(gateway)),
    untilHit: async (gateway) => {
      const hit = async (): Promise<void> => {
        const { headers, status } = await read(gateway);
        if (headers['cache-status'] !== 'vitrine; hit') throw new Error(`${status} ${headers['cache-status']}`);
      };
      await vi.waitFor(hit, { interval: 5, timeout: 30_000 });
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
};
