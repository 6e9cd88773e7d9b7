import { expect, test } from 'vitest';
import { createDemoDatabase } from '../support/demo.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createDemoDatabase());

test('the demo catalogue has attributes of every kind, and says what each picture shows', async () => {
  const kinds = await database.sql<{ kind: string; products: number }>(
    `select jsonb_typeof(value) as kind, count(distinct p.id)::int as products from product p, jsonb_each(attributes) group by 1 order by 1`,
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(['array', 'boolean', 'number', 'string']);
  for (const { kind, products } of kinds) expect(products, kind).toBeGreaterThan(20);
  expect(
    await database.sql('select slug from product where cardinality(image_alts) <> cardinality(image_urls)'),
  ).toEqual([]);
});
