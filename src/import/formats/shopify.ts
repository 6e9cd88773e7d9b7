import { centsOf } from '../fields/price.ts';
import { SOME } from '../fields/values.ts';
import { placeOf, type SourceRecord, type Value } from '../record.ts';
import { type Draft, defineFormat, type FormatFile, pick } from './format.ts';

/** The columns of a product export, in Shopify's older and newer spelling: https://help.shopify.com/en/manual/products/import-export/using-csv */
const NAMES = {
  slug: ['Handle', 'URL handle'],
  name: ['Title'],
  description: ['Body (HTML)', 'Description'],
  brand: ['Vendor'],
  type: ['Type'],
  taxonomy: ['Product Category'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  price: ['Variant Price', 'Price'],
  listPrice: ['Variant Compare At Price', 'Compare-at price'],
  stock: ['Variant Inventory Qty', 'Inventory quantity'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  policy: ['Variant Inventory Policy', 'Continue selling when out of stock'],
  imageUrls: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
};

type ShopifyFile = FormatFile<keyof typeof NAMES>;

/** The rows of one product. */
type Rows = readonly [SourceRecord, ...SourceRecord[]];

/** The most rows of one product: Shopify allows 2,048 variants and 250 images. */
const MAX_ROWS = 5000;

/** Shopify's product export. The first row of a handle is the product, and each row may hold a variant, an image or both. */
export const shopify = defineFormat({
  name: 'shopify',
  summary: 'Shopify’s CSV export of products',
  kind: 'product',
  names: NAMES,
  columnOf: { category: 'type', imageUrl: 'imageUrls' },
  recognises: (has) => has('title') && has('handle', 'urlhandle'),
  open: (file) => {
    const { text } = file;
    let rows: [SourceRecord, ...SourceRecord[]] | undefined;
    let rejection: string | undefined;
    const end = (): Draft[] => {
      const drafts = rows ? [{ ...toDraft(rows, file), rejection }] : [];
      rows = undefined;
      rejection = undefined;
      return drafts;
    };
    return {
      read: (record) => {
        const isSame = rows && text(rows[0], 'slug') === text(record, 'slug');
        const drafts = isSame && rows && rows.length < MAX_ROWS ? [] : end();
        if (rows) rows.push(record);
        else rows = [record];
        return drafts;
      },
      readBroken: (record) => {
        // A row whose handle is lost may belong to any product.
        if (rows && ['', text(rows[0], 'slug')].includes(text(record, 'slug')))
          rejection ??= `is not imported, because one of its rows, in line ${record.line}, is broken: correct that row`;
      },
      end,
    };
  },
});

const toDraft = (rows: Rows, file: ShopifyFile): Draft => {
  const { has, get, text, columnOf, options } = file;
  const read = (column: keyof typeof NAMES): string => text(rows[0], column);
  const named = read('type') || read('taxonomy');
  // "Uncategorized" is Shopify's own name for products without a type.
  const category = named || (options.category ?? 'Uncategorized');
  // A product that has neither is of no category, if the file has both columns.
  const hasCategory = named !== '' || (has('type') && has('taxonomy'));
  const tags = get(rows[0], 'tags') ?? [];
  return {
    ...placeOf(rows[0]),
    values: {
      slug: read('slug'),
      ...pick(['name', 'description', 'brand'], file, read),
      ...(hasCategory && { category }),
      ...pick(['tags'], file, () => (typeof tags === 'string' ? tags.split(',') : tags)),
      ...(has('imageUrls') && picturesOf(rows, file)),
      ...((has('status') || has('published')) && { status: toStatus(read('status'), read('published')) }),
      ...foldPrices(rows, file),
      ...foldStock(rows, file),
    },
    ifNew: hasCategory ? undefined : { category },
    columns: hasCategory && read('type') === '' ? { category: columnOf('taxonomy') } : undefined,
    doubt: doubtOf(rows, file),
  };
};

const picturesOf = (rows: Rows, { text }: ShopifyFile): Record<string, Value> => {
  const images = rows
    .filter((row) => text(row, 'imageUrls') !== '')
    .sort((one, other) => Number(text(one, 'imagePosition')) - Number(text(other, 'imagePosition')))
    .map((row) => text(row, 'imageUrls'));
  return { imageUrl: images[0] ?? '', imageUrls: images };
};

const doubtOf = (rows: Rows, { has, text }: ShopifyFile): Draft['doubt'] => {
  if (has('name') && text(rows[0], 'name') === '') return 'continuation';
  // Shopify ends every line, but a spreadsheet may omit the last line end, so a missing one is no proof of a cut.
  return rows.at(-1)?.isUnterminated ? 'unterminated' : 'together';
};

/** An active product that is not published is sold, but not in the online store. Where neither is said, the product keeps its status. */
const toStatus = (status: string, published: string): string => {
  const isHidden = published.toLowerCase() === 'false';
  const word = status.toLowerCase();
  if (word === '' && published === '') return '';
  if (word === '') return isHidden ? 'DRAFT' : 'ON_SALE';
  if (word === 'active') return isHidden ? 'OFF_SALE' : 'ON_SALE';
  return word === 'archived' || word === 'unlisted' ? 'OFF_SALE' : status;
};

/**
 * The lowest price of all variants, and the compare-at price of that variant if it is higher. An invalid price is returned as it is, so that the
 * product is rejected instead of sold at another variant's price.
 */
const foldPrices = (rows: Rows, { has, text, options }: ShopifyFile): Record<string, Value> => {
  if (!has('price')) {
    const listPrices = new Set(rows.map((row) => text(row, 'listPrice')).filter(Boolean));
    // Several belong to variants whose prices the file does not say.
    return has('listPrice') && listPrices.size <= 1 ? { listPrice: [...listPrices][0] ?? '' } : {};
  }
  const offers = rows
    .map((row) => ({ price: text(row, 'price'), listPrice: text(row, 'listPrice') }))
    .filter(({ price }) => price !== '')
    .map((offer) => ({ ...offer, cents: centsOf(offer.price, options) }));
  const [cheapest] = offers.toSorted((one, other) => (one.cents ?? -1) - (other.cents ?? -1));
  if (cheapest?.cents === undefined || !has('listPrice')) return { price: cheapest?.price ?? '' };
  const { price, listPrice, cents } = cheapest;
  // One that is no amount is kept, so that it is reported.
  return { price, listPrice: (centsOf(listPrice, options) ?? Number.POSITIVE_INFINITY) > cents ? listPrice : '' };
};

/** The stock of all variants together. One that is no number is returned as it is, so that it is reported. */
const foldStock = (rows: Rows, { has, text, options }: ShopifyFile): Record<string, Value> => {
  let pieces: number | undefined;
  let isUncounted = false;
  for (const row of rows) {
    const quantity = text(row, 'stock');
    const isVariant = quantity !== '' || (has('price') ? text(row, 'price') : text(row, 'policy')) !== '';
    if (!isVariant) continue;
    const isUnlimited =
      (has('tracker') && text(row, 'tracker') === '') || /^(continue|true)$/i.test(text(row, 'policy'));
    // Shops with several locations export quantities to another file.
    if (quantity === '' && !isUnlimited) continue;
    if (!/^(?:-?\d{1,9})?$/.test(quantity)) return { stock: quantity };
    isUncounted ||= quantity === '' && !has('stock');
    pieces = (pieces ?? 0) + Math.max(Number(quantity), isUnlimited ? (options.stock ?? SOME) : 0);
  }
  if (pieces === undefined) return {};
  return { stock: isUncounted ? 'in stock' : String(pieces) };
};
