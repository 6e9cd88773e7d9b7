import { optionNames, optionValues, pictureUrl, unpacked } from '../import/fields/lists.ts';
import { amount, currency, shapeMoney } from '../import/fields/price.ts';
import { barcode, code, INT32_MAX, integer, longText, plain } from '../import/fields/values.ts';
import { CREATED_AT, field, type ImportKind, nullable, required, STOCK, UPDATED_AT } from '../import/kind.ts';
import { isBlank, isObject, type Value } from '../import/record.ts';

export const variantImport: ImportKind = {
  table: 'product_variant',
  plural: 'variants',
  key: 'product',
  identity: {
    isSame: `other.product_id = s.product_id and coalesce(other.option_values, '{}') = coalesce(s.option_values, '{}')
      and (s.option_values is not null or other.sku is not distinct from s.sku)`,
  },
  fields: {
    // In a file of variants, what --key says of the product.
    product: field('product_id', 'text', longText, { merge: () => 's.owner_id' }),
    sku: field('sku', 'text', code, nullable),
    barcode: field('barcode', 'text', barcode, nullable),
    // The names of its options, where the file says them with the values.
    optionNames: field('option_names', 'text[]', plain(optionNames), { isKeyOnly: true }),
    optionValues: field('option_values', 'text[]', plain(optionValues)),
    price: field('price', 'numeric(14,2)', amount, required),
    listPrice: field('list_price', 'numeric(14,2)', amount, { ...nullable, mustExceed: 'price' }),
    // That of its product.
    currency: field('currency', 'char(3)', currency, { isKeyOnly: true }),
    stock: STOCK,
    imageUrl: field('image_url', 'text', pictureUrl, nullable),
    position: field('position', 'int', integer(-INT32_MAX, INT32_MAX)),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  native: {
    summary: 'variants of products, with columns as in the table product_variant or the API, and their product',
    recognises: (has) => has('product') && has('sku', 'barcode', 'options', 'optionvalues') && !has('name', 'title'),
    extra: ['currencyCode', 'options', 'selectedOptions'],
    alternatives: {
      currency: ['currencyCode'],
      optionValues: ['options', 'selectedOptions'],
      optionNames: ['options', 'selectedOptions'],
    },
    shape: (values) => {
      shapeMoney(values);
      const options = values.selectedOptions ?? values.options;
      if (isBlank(options)) return undefined;
      const pairs = pairsOf(options as Value);
      values.optionNames = pairs.map(([name]) => name);
      values.optionValues = pairs.map(([, value]) => value);
      return undefined;
    },
  },
};

/** `Size=M|Colour=Blue`, `{ "Size": "M" }`, or as the API returns them, `[{ "name": "Size", "value": "M" }]`. */
const pairsOf = (options: Value): [Value, Value][] => {
  const given = unpacked(options);
  if (isObject(given)) return Object.entries(given);
  const list = typeof given === 'string' ? given.split('|').map((pair) => pair.split(/=(.*)/s)) : [given].flat();
  return list.map((pair) => {
    if (isObject(pair)) return [pair.name ?? '', pair.value ?? ''];
    const [name = '', value = ''] = [pair].flat();
    return [name, value];
  });
};
