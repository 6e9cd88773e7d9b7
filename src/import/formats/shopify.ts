import { trimmedOf } from '../fields/parse.ts';
import { SOME } from '../fields/values.ts';
import { isObject, placeOf, textIn, type Value } from '../record.ts';
import { type Draft, type FormatFile, pick, type Row, type ShopFormat, type VariantDraft } from './format.ts';
import { type Offered, withoutOptions, withUnknownOptions } from './offer.ts';

/**
 * The columns of a product export, in Shopify's older and newer spelling (https://help.shopify.com/en/manual/products/import-export/using-csv),
 * and the fields of a storefront's `products.json`, or that of the Admin API, with other names.
 */
const NAMES = {
  slug: ['Handle', 'URL handle'],
  name: ['Title'],
  description: ['Body (HTML)', 'Description'],
  brand: ['Vendor'],
  type: ['Type', 'product_type'],
  taxonomy: ['Product Category'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  publishedAt: ['published_at'],
  status: ['Status'],
  option1: ['Option1 Name'],
  value1: ['Option1 Value', 'option1'],
  option2: ['Option2 Name'],
  value2: ['Option2 Value', 'option2'],
  option3: ['Option3 Name'],
  value3: ['Option3 Value', 'option3'],
  sku: ['Variant SKU', 'SKU'],
  barcode: ['Variant Barcode', 'Barcode'],
  price: ['Variant Price', 'Price'],
  listPrice: ['Variant Compare At Price', 'Compare-at price'],
  stock: ['Variant Inventory Qty', 'Inventory quantity', 'available'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker', 'inventory_management'],
  policy: ['Variant Inventory Policy', 'Continue selling when out of stock', 'inventory_policy'],
  imageUrls: ['Image Src', 'Product image URL', 'src'],
  imagePosition: ['Image Position', 'position'],
  imageAlts: ['Image Alt Text', 'alt'],
  variantImage: ['Variant Image', 'Variant image URL'],
  variants: ['variants'],
  options: ['options'],
  images: ['images'],
};

const OPTIONS = [
  ['option1', 'value1'],
  ['option2', 'value2'],
  ['option3', 'value3'],
] as const;

type Column = keyof typeof NAMES;
type ShopifyFile = FormatFile<Column>;
type ShopifyRow = Row<Column>;

/** The rows of one product. */
type Rows = [ShopifyRow, ...ShopifyRow[]];

const text = ({ fields }: ShopifyRow, column: Column): string => trimmedOf(fields[column]);

/** Shopify's product export. The first row of a handle is the product, and each row may hold a variant, an image or both. */
export const shopify: ShopFormat<Column> = {
  name: 'shopify',
  summary: 'Shopify’s CSV export of products, or its products.json',
  mayShareSkus: true,
  standTogether: true,
  names: NAMES,
  sources: { category: ['type'], imageUrl: ['imageUrls'], optionNames: ['option1'], optionValues: ['value1'] },
  recognises: (hasAny) => hasAny('title') && hasAny('handle', 'urlhandle'),
  open: (file) => {
    let rows: Rows | undefined;
    /** The first broken row of each handle. One whose handle is lost may belong to the product that is read. */
    const brokenLines = new Map<string, number>();
    const end = (): Draft[] => {
      if (!rows) return [];
      const line = brokenLines.get(text(rows[0], 'slug')) ?? brokenLines.get('');
      const broken = line && `is not imported, because one of its rows, in line ${line}, is broken: correct that row`;
      const draft = { ...toDraft(rows, file), rejection: broken || headless(rows, file) };
      rows = undefined;
      brokenLines.delete('');
      return [draft];
    };
    return {
      read: (record) => {
        const isSame = rows && text(rows[0], 'slug') === text(record, 'slug');
        const drafts = isSame ? [] : end();
        const [first, ...more] = rowsOf(record, file);
        if (rows) rows.push(first, ...more);
        else rows = [first, ...more];
        return drafts;
      },
      readBroken: (record) => {
        const handle = text(record, 'slug');
        if (!brokenLines.has(handle)) brokenLines.set(handle, record.line);
      },
      end,
    };
  },
};

/** The rows that the CSV would have for a product of `products.json`: one for each variant, and one for each picture. */
const rowsOf = (record: ShopifyRow, file: ShopifyFile): Rows => {
  const { variants, options, images, publishedAt, ...product } = record.fields;
  if (!Array.isArray(variants)) return [record];
  const pictures = listOf(images).filter(isObject);
  const names = listOf(options).map((each) => (isObject(each) ? (each.name ?? '') : each));
  const [first, ...more] = [
    ...variants.filter(isObject).map(({ title, position, featured_image: own = null, image_id: id, ...variant }) => {
      const picture = isObject(own) ? own : pictures.find((each) => textIn(each.id) === textIn(id));
      const values = names.length > 0 && { option1: '', option2: '', option3: '' };
      return file.rename({ ...values, ...variant, ...(picture && { 'Variant Image': picture.src ?? '' }) });
    }),
    ...pictures.map(({ src = '', position = '', alt = '' }) => file.rename({ src, position, alt })),
  ];
  const named = file.rename({
    ...(publishedAt !== undefined && { Published: publishedAt !== null }),
    ...(names.length > 0 && Object.fromEntries([1, 2, 3].map((at) => [`Option${at} Name`, names[at - 1] ?? '']))),
  });
  return [{ ...record, fields: { ...first, ...product, ...named } }, ...more.map((fields) => ({ ...record, fields }))];
};

const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);

const toDraft = (rows: Rows, file: ShopifyFile): Draft => {
  const read = (column: Column): string => text(rows[0], column);
  const category = read('type') || read('taxonomy');
  // A product that has neither is of no category, if the file has both columns.
  const hasCategory = category !== '' || (file.has('type') && file.has('taxonomy'));
  const { tags = [], translations } = rows[0].fields;
  const offered = offeredBy(rows, file);
  return {
    ...placeOf(rows[0]),
    values: {
      slug: read('slug'),
      ...pick(['name', 'description', 'brand'], file, read),
      ...(translations !== undefined && { translations }),
      ...(hasCategory && { category }),
      ...pick(['tags'], file, () => (typeof tags === 'string' ? tags.split(',') : tags)),
      ...(file.has('imageUrls') && picturesOf(rows, file)),
      ...((file.has('status') || file.has('published')) && { status: toStatus(read('status'), read('published')) }),
      ...offered.values,
    },
    ifNew: offered.ifNew,
    columns: hasCategory && read('type') === '' ? { category: file.columnOf('taxonomy') } : undefined,
    variants: offered.variants,
  };
};

const picturesOf = (rows: Rows, file: ShopifyFile): Record<string, Value> => {
  const altOf = new Map<string, string>();
  const pictures = rows
    .filter((row) => text(row, 'imageUrls') !== '')
    .sort((one, other) => Number(text(one, 'imagePosition')) - Number(text(other, 'imagePosition')));
  for (const row of pictures)
    altOf.set(text(row, 'imageUrls'), altOf.get(text(row, 'imageUrls')) || text(row, 'imageAlts'));
  const imageUrls = [...altOf.keys()];
  return { imageUrl: imageUrls[0] ?? '', imageUrls, ...(file.has('imageAlts') && { imageAlts: [...altOf.values()] }) };
};

/** Rows without the first one, which has the title, are a part of a product alone. */
const headless = (rows: Rows, file: ShopifyFile): string | undefined =>
  file.has('name') && text(rows[0], 'name') === ''
    ? 'has no first row, with its title: put all its rows together'
    : undefined;

/** An active product that is not published is sold, but not in the online store. Where neither is said, the product keeps its status. */
const toStatus = (status: string, published: string): string => {
  const isHidden = published.toLowerCase() === 'false';
  const word = status.toLowerCase();
  if (word === '' && published === '') return '';
  if (word === '') return isHidden ? 'DRAFT' : 'ON_SALE';
  if (word === 'active') return isHidden ? 'OFF_SALE' : 'ON_SALE';
  return word === 'archived' || word === 'unlisted' ? 'OFF_SALE' : status;
};

/** What the rows say of variants: the name of an option stands in the first row alone, and a product without options is its `Default Title`. */
const offeredBy = (rows: Rows, file: ShopifyFile): Offered => {
  const sold = rows.filter((row) => isVariant(row, file));
  const options = OPTIONS.filter(([, value]) => sold.some((row) => text(row, value) !== ''));
  const variants = sold.map((row) => toVariant(row, options, file));
  const [only, ...others] = sold;
  // Values without the names of their options, or the other way round, do not tell the variants apart.
  if (!file.has('option1') || OPTIONS.some(([name, value]) => file.has(name) !== file.has(value)))
    return withUnknownOptions(variants);
  if (only && others.length === 0 && /^(?:Default Title)?$/.test(text(only, 'value1')))
    return withoutOptions(toVariant(only, [], file));
  if (options.length === 0) return withUnknownOptions(variants);
  const optionNames = options.map(([name]) => rows.map((row) => text(row, name)).find(Boolean) ?? '');
  return { values: { optionNames }, variants };
};

/** Other rows have a picture alone. */
const isVariant = (row: ShopifyRow, file: ShopifyFile): boolean =>
  (['value1', 'sku', 'stock', file.has('price') ? 'price' : 'policy'] as const).some((name) => text(row, name) !== '');

const toVariant = (row: ShopifyRow, options: readonly (typeof OPTIONS)[number][], file: ShopifyFile): VariantDraft => {
  const stock = stockOf(row, file);
  return {
    ...placeOf(row),
    values: {
      ...pick(['sku', 'barcode', 'price', 'listPrice'], file, (name) => text(row, name)),
      ...(file.has('variantImage') && { imageUrl: text(row, 'variantImage') }),
      ...(stock !== '' && { stock }),
      optionValues: options.map(([, value]) => text(row, value)),
    },
    columns: { imageUrl: file.columnOf('variantImage') },
  };
};

/** Empty where the file does not say it: shops with several locations export quantities to another file. */
const stockOf = (row: ShopifyRow, file: ShopifyFile): string => {
  const quantity = text(row, 'stock');
  const isUnlimited =
    (file.has('tracker') && text(row, 'tracker') === '') || /^(continue|true)$/i.test(text(row, 'policy'));
  if (quantity === '') return isUnlimited ? 'in stock' : '';
  // What is no number is kept, so that it is reported.
  if (!/^-?\d{1,9}$/.test(quantity)) return quantity;
  return String(Math.max(Number(quantity), isUnlimited ? (file.options.stock ?? SOME) : 0));
};
