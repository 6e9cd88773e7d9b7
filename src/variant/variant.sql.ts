import type { Statement } from '../database/sql.ts';

/**
 * The product that has a code for its SKU, and the variants that have it for theirs or for their barcode, in order, visible or not.
 * Value: codes. The index has barcodes as they are folded.
 */
export const itemsOfCodes: Statement = {
  name: 'items_of_codes',
  text: `
    select k.code, (select id from product where sku = k.code) as "productId", array(
      select id
      from product_variant
      where sku = k.code or left(vitrine_fold(barcode), 200) collate "C" = left(vitrine_fold(k.code), 200) and barcode = k.code
      order by product_id, position, id
    ) as "variantIds"
    from unnest($1::text[]) as k(code)`,
};
