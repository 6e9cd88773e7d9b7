/** How much the catalogue holds. Ids begin at 1. */
export interface Catalogue {
  /** Visible products: every id up to here is answered. A twentieth more, with higher ids, is not visible. */
  readonly products: number;
  readonly categories: number;
  /** The first of the categories; the others are their children. */
  readonly roots: number;
  readonly notices: number;
  /** The first of the notices; of the others some have ended, some are to come, some are drafts or withdrawn. */
  readonly noticesInEffect: number;
}

export const catalogueOf = (products: number): Catalogue => ({
  products,
  categories: 200,
  roots: 20,
  notices: 5000,
  noticesInEffect: 300,
});

/**
 * The statements that fill empty tables, always with the same rows: what looks random is a hash of the id, and every
 * time is absolute, so that the bytes of an answer do not depend on when it is asked for.
 */
export const fillStatements = ({ products, categories, roots, notices, noticesInEffect }: Catalogue): string[] => [
  `insert into category (id, parent_id, name, slug, image_url, position, created_at, updated_at)
   select i, case when i > ${roots} then 1 + (i - ${roots} - 1) % ${roots} end, 'Category ' || i, 'category-' || i,
     '/images/category-' || i || '.jpg', i, timestamptz '2025-01-01 08:00Z', timestamptz '2025-06-01 08:00Z'
   from generate_series(1, ${categories}) i`,

  // 2654435761 is Knuth's multiplier, which spreads neighbouring ids over 32 bits.
  `insert into product (id, category_id, name, slug, subtitle, description, brand, tags, price, list_price, stock, sales,
     image_url, image_urls, status, published_at, created_at, updated_at)
   select i, 1 + i % ${categories},
     (array['Quiet', 'Rosé', 'Plain', 'Bright', 'Folding', 'Little', 'Double'])[1 + h % 7] || ' '
       || (array['kettle', 'lantern', 'notebook', 'blanket', 'speaker', 'pan', 'rucksack', 'mug', 'lamp', 'chair', 'towel'])[1 + h % 11]
       || ' no. ' || i,
     'product-' || i, case when h % 4 > 0 then 'Made to be used every day, number ' || i end,
     'Well made and easy to look after. It comes in a plain box, with the few parts that wear out kept in stock for ten years. Number '
       || i || ' of the catalogue.',
     case when h % 5 > 0 then 'Brand ' || h % 97 end, array['tag-' || h % 13, 'tag-' || h % 29, 'tag-' || h % 53],
     (100 + h % 49900) / 100.0, case when h % 10 < 3 then (100 + h % 49900) / 100.0 + 10 end, h % 500, (h >> 8) % 50000,
     '/images/product-' || i || '.jpg',
     array['/images/product-' || i || '.jpg', '/images/product-' || i || '-b.jpg', '/images/product-' || i || '-c.jpg'],
     (case when i > ${products} and i % 3 > 0 then (array['DRAFT', 'OFF_SALE'])[i % 3] else 'ON_SALE' end)::product_status,
     case when i > ${products} then timestamptz '2100-01-01Z' else timestamptz '2025-12-01Z' - (h >> 4) % 60000000 * interval '1 s' end,
     timestamptz '2023-06-01Z' + h % 1000 * interval '1 h', timestamptz '2025-12-15Z' - h % 1000 * interval '1 h'
   from (select i, i::bigint * 2654435761 % 4294967296 as h from generate_series(1, ${products + Math.ceil(products / 20)}) i) numbered`,

  `insert into notice (id, type, level, title, summary, content, pinned, status, starts_at, ends_at, created_at, updated_at)
   select i, (array['ANNOUNCEMENT', 'PROMOTION', 'MAINTENANCE'])[1 + i % 3]::notice_type,
     (array['NORMAL', 'IMPORTANT', 'URGENT'])[1 + i % 5 / 2]::notice_level, 'Notice number ' || i,
     case when i % 4 > 0 then 'What customers should know about point ' || i end,
     repeat('The shop tells its customers what changes, from when on, and whom to ask about it. ', 6) || 'Notice ' || i || '.',
     i % 50 = 0,
     (case when i <= ${noticesInEffect} or i % 4 > 1 then 'PUBLISHED' when i % 4 = 1 then 'DRAFT' else 'WITHDRAWN' end)::notice_status,
     case when i <= ${noticesInEffect} then timestamptz '2025-01-01Z' when i % 4 = 2 then timestamptz '2100-01-01Z'
       else timestamptz '2024-01-01Z' end + i * interval '1 h',
     case when i <= ${noticesInEffect} and i % 2 = 1 then null when i > ${noticesInEffect} and i % 4 = 3 then timestamptz '2024-12-01Z'
       else timestamptz '2200-01-01Z' end,
     timestamptz '2023-12-01Z', timestamptz '2025-02-01Z' + i * interval '1 minute'
   from generate_series(1, ${notices}) i`,
];

/**
 * The indexes of the gateway are partial, on `status = 'ON_SALE'`, which PostgreSQL uses only where the statement has that as a literal. Prisma
 * sends it as a parameter, so a team on Prisma would have made indexes that begin with the status: these, that the comparison be fair. They
 * are in a database of their own, for the planner would now and then prefer them where the others are meant to be used.
 */
export const PRISMA_INDEXES: readonly string[] = [
  'create index on product (status, sales desc, published_at desc, id desc)',
  'create index on product (status, published_at desc, id desc)',
  'create index on product (category_id, status, price, id)',
  'create index on notice (status, pinned desc, starts_at desc, id desc)',
];
