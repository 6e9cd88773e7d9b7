import type { Statement } from '../database/sql.ts';

/** The products that have a code, themselves or by a variant, visible or not, by id. Value: codes. The index has barcodes as they are folded. */
export const productsOfCodes: Statement = {
  name: 'products_of_codes',
  text: `
    select k.code, array_agg(distinct found.id) as ids
    from unnest($1::text[]) as k(code)
    cross join lateral (
      select id from product where sku = k.code
      union all
      select product_id from product_variant where sku = k.code
      union all
      select product_id
      from product_variant
      where left(vitrine_fold(barcode), 200) collate "C" = left(vitrine_fold(k.code), 200) and barcode = k.code
    ) found
    group by k.code`,
};
