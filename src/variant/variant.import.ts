import { optionNames, optionValues, pictureUrl } from '../import/fields/lists.ts';
import { unpacked } from '../import/fields/parse.ts';
import { amount, CURRENCY_NAMES, completeCurrency, currency, shapeMoney } from '../import/fields/price.ts';
import { barcode, code, INT32_MAX, integer, longText, plain } from '../import/fields/values.ts';
import {
  CREATED_AT,
  field,
  type ImportContext,
  type ImportKind,
  nullable,
  type Range,
  required,
  STOCK,
  UPDATED_AT,
} from '../import/kind.ts';
import { isBlank, isObject, textIn, type Value } from '../import/record.ts';
import { reject, STAGE } from '../import/write/stage.ts';
import { findVariants } from '../product/product-variants.steps.ts';

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
    product: field('product_id', 'text', longText, { merge: () => 's.owner_id', keepsIfBlank: true }),
    sku: field('sku', 'text', code, { ...nullable, isUnique: true }),
    barcode: field('barcode', 'text', barcode, nullable),
    // The names of its options, where the file says them with the values.
    optionNames: field('option_names', 'text[]', plain(optionNames), { isKeyOnly: true }),
    // Blank ones say nothing: the variant is found by its sku.
    optionValues: field('option_values', 'text[]', plain(optionValues), { keepsIfBlank: true }),
    price: field('price', 'numeric(14,2)', amount, required),
    listPrice: field('list_price', 'numeric(14,2)', amount, { ...nullable, mustExceed: 'price' }),
    // That of its product.
    currency: field('currency', 'char(3)', currency, { isKeyOnly: true }),
    stock: STOCK,
    imageUrl: field('image_url', 'text', pictureUrl, nullable),
    position: field('position', 'int', integer(-INT32_MAX, INT32_MAX), { keepsIfBlank: true }),
    createdAt: CREATED_AT,
    updatedAt: UPDATED_AT,
  },
  complete: ({ values }, options) => completeCurrency(values, [], options),
  native: {
    summary: 'variants of products, with columns as in the table product_variant or the API, and their product',
    needs: 'product, and options or sku',
    recognises: (hasAny) =>
      hasAny('product') && hasAny('sku', 'barcode', 'options', 'optionvalues') && !hasAny('name', 'title'),
    aliases: CURRENCY_NAMES,
    alternatives: {
      optionValues: ['options', 'selectedOptions'],
      optionNames: ['options', 'selectedOptions'],
    },
    shape: (values) => {
      shapeMoney(values);
      const options = values.selectedOptions ?? values.options;
      if (isBlank(options)) return;
      const pairs = pairsOf(options as Value);
      values.optionNames = pairs.map(([name]) => name);
      values.optionValues = pairs.map(([, value]) => value);
    },
  },
  checkInner: (...given) => checkInProduct(...given),
  write: {
    find: (context) => findVariantsOfFile(context),
    prepare: async (context) => ({ before: (range) => nameOptions(context, range) }),
  },
};

/** The variants of one product differ in their option values, and in their skus. */
const checkInProduct: NonNullable<ImportKind['checkInner']> = (
  { sku, option_values },
  { option_names: names },
  earlier,
  reject,
) => {
  // What says no values is found by its sku.
  const values = option_values ?? (sku ? undefined : []);
  const key = JSON.stringify(values);
  if (values && names && values.length !== names.length)
    reject('optionValues', `has ${values.length} values, but the product has ${names.length} options`);
  else if (values && earlier.has(key)) reject('optionValues', 'is the same as of another variant of this product');
  if (sku && earlier.has(`sku ${sku}`)) reject('sku', 'is that of another variant of this product');
  earlier.add(key).add(`sku ${sku}`);
};

/** The names of the options of each product: those of its first row, where it has none and no variants. */
const NAMES = `(
  select distinct on (p.id) p.id, case when p.option_names <> '{}' or exists (select from product_variant v where v.product_id = p.id) then p.option_names else s.option_names end as names
  from ${STAGE} s join product p on p.id = s.owner_id where s.option_names is not null order by p.id, s.ordinal)`;

/** Finds the products, by the column of the key, and their existing variants. The rows then have the values in the product's order. */
const findVariantsOfFile = async (context: ImportContext): Promise<void> => {
  const { client, key = 'slug' } = context;
  await client.query(`update ${STAGE} s set owner_id = p.id from product p where p.${key}::text = s.product_id`);
  await reject(
    context,
    `delete from ${STAGE} s where owner_id is null
     returning line, record, 'product' as field, product_id as value, 'is the ${key} of no product: import the product first' as reason`,
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.owner_id and s.currency <> p.currency
     returning line, record, 'currency' as field, s.currency as value, concat('must be that of the product: ', p.currency) as reason`,
  );
  await client.query(`
    update ${STAGE} s set option_names = names, option_values = array(
      select value from unnest(s.option_names, s.option_values) named (name, value) order by array_position(names, name))
    from ${NAMES} p where p.id = s.owner_id and s.option_names <> names and s.option_names @> names and names @> s.option_names`);
  await reject(
    context,
    `delete from ${STAGE} s using ${NAMES} p where p.id = s.owner_id and s.option_names <> names
     returning line, record, 'optionValues' as field, array_to_string(s.option_names, ', ') as value,
       concat('must name the options of the product: ', array_to_string(names, ', ')) as reason`,
  );
  await findVariants(client, STAGE);
};

/** Gives products the names of the options that the variants of a range have. */
const nameOptions = ({ client }: ImportContext, { from, to }: Range): Promise<unknown> =>
  client.query(
    `update product p set option_names = s.option_names
     from ${STAGE} s where s.ordinal between $1 and $2 and p.id = s.owner_id and p.option_names <> s.option_names`,
    [from, to],
  );

/** `Size=M|Colour=Blue`, `{ "Size": "M" }`, or as the API returns them, `[{ "name": "Size", "value": "M" }]`. */
const pairsOf = (options: Value): [Value, Value][] => {
  const given = unpacked(options);
  if (isObject(given)) return Object.entries(given);
  const text = textIn(given);
  const list = text === undefined ? [given].flat() : text.split('|').map((pair) => pair.split(/=(.*)/s));
  return list.map((pair) => {
    if (isObject(pair)) return [pair.name ?? '', pair.value ?? ''];
    const [name = '', value = ''] = [pair].flat();
    return [name, value];
  });
};
