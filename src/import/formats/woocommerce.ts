import { deepest } from '../fields/lists.ts';
import { trimmedOf } from '../fields/parse.ts';
import { plainValue, SOME, TRUE } from '../fields/values.ts';
import { placeOf, type Value } from '../record.ts';
import { type Draft, type FormatFile, pick, type Row, type ShopFormat, type VariantDraft } from './format.ts';
import { ANY, type Offered, offerOf, withoutOptions, withUnknownOptions } from './offer.ts';

/** The columns that are read: https://github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema */
const NAMES = {
  id: ['ID'],
  type: ['Type'],
  sku: ['SKU'],
  barcode: ['GTIN, UPC, EAN, or ISBN', 'GTIN'],
  name: ['Name'],
  published: ['Published'],
  visibility: ['Visibility in catalog'],
  subtitle: ['Short description'],
  description: ['Description'],
  saleStart: ['Date sale price starts'],
  saleEnd: ['Date sale price ends'],
  inStock: ['In stock?'],
  stock: ['Stock'],
  sale: ['Sale price'],
  price: ['Regular price'],
  category: ['Categories'],
  tags: ['Tags'],
  brand: ['Brands'],
  imageUrls: ['Images'],
  parent: ['Parent'],
  position: ['Position'],
};

/** Columns of attributes, of which there may be any number: `Attribute 1 name`, `Attribute 1 value(s)`, `Attribute 1 visible`. */
const ATTRIBUTE = /^attribute\d+(?:name|values|visible)$/;

type Column = keyof typeof NAMES | `attribute${number}${'name' | 'values' | 'visible'}`;
type WooCommerceFile = FormatFile<Column>;
type WooCommerceRow = Row<Column>;

const text = ({ fields }: WooCommerceRow, column: Column): string => unescaped(trimmedOf(fields[column]));

// Extensions have types of their own: `variable-subscription` has variations, and its variations are a `subscription_variation`.
const VARIABLE = /(?:^|[,\s])variable(?:[-_,\s]|$)/i;
const VARIATION = /(?:^|[-_,\s])variation(?:[,\s]|$)/i;

/** WooCommerce's own export of products. The variations of a product have rows of their own, anywhere in the file. */
export const woocommerce: ShopFormat<Column> = {
  name: 'woocommerce',
  summary: 'WooCommerce’s CSV export of products',
  names: NAMES,
  otherName: (plain) => (ATTRIBUTE.test(plain) ? plain : undefined),
  sources: { slug: ['name'], listPrice: ['price'], imageUrl: ['imageUrls'], status: ['published'] },
  otherKey: 'sku',
  recognises: (hasAny) => {
    // A file of few columns, and none that another format has in the place of WooCommerce's.
    const isOwn =
      hasAny('regularprice', 'saleprice', 'visibilityincatalog', 'datesalepricestarts', 'groupedproducts') ||
      (hasAny('type') && hasAny('published'));
    return isOwn && hasAny('name', 'sku') && !hasAny('price', 'slug', 'title', 'category', 'listprice');
  },
  open: (file) => {
    // Variable products wait for their variations until the end of the file, in memory.
    const parents: WooCommerceRow[] = [];
    const variationsOf = new Map<string, WooCommerceRow[]>();
    let rejection: string | undefined;

    const isVariation = (row: WooCommerceRow): boolean =>
      VARIATION.test(text(row, 'type')) || (text(row, 'type') === '' && text(row, 'parent') !== '');
    // Without that column, any product may have variations.
    const isVariable = (row: WooCommerceRow): boolean =>
      VARIABLE.test(text(row, 'type')) || (!file.has('type') && file.has('parent'));
    const toParent = (row: WooCommerceRow): Draft => {
      // Variations name their product in two ways.
      const names = [text(row, 'sku'), `id:${text(row, 'id')}`].filter(Boolean);
      const variations = names.flatMap((name) => variationsOf.get(name) ?? []);
      for (const name of names) variationsOf.delete(name);
      return { ...toDraft(row, offerOfVariations(row, variations, file), file, variations), rejection };
    };
    const toOrphan = (row: WooCommerceRow): Draft => ({
      ...placeOf(row),
      values: { slug: text(row, 'name'), name: text(row, 'name') },
      rejection: `is a variation of "${text(row, 'parent')}", which is not in the file`,
    });

    return {
      read: (row) => {
        const parent = text(row, 'parent');
        if (isVariation(row)) variationsOf.set(parent, [...(variationsOf.get(parent) ?? []), row]);
        else if (isVariable(row)) parents.push(row);
        else return [toDraft(row, withoutOptions(toVariant(row, file)), file)];
        return [];
      },
      readBroken: (row) => {
        // One whose type cannot be read may be a variation of any product.
        if (text(row, 'type') === '' || isVariation(row))
          rejection ??= `is not imported, because line ${row.line}, which is broken, may be a variation of it`;
      },
      end: () => {
        const drafts = parents.map(toParent);
        return [...drafts, ...[...variationsOf.values()].flat().map(toOrphan)];
      },
    };
  },
};

interface Attribute {
  readonly name: string;
  /** A list; of a variation one value, or none. */
  readonly values: string;
  readonly isHidden: boolean;
}

/** Undefined unless the file has the name and the values of each. */
const attributesOf = (row: WooCommerceRow): readonly Attribute[] | undefined => {
  const columns = Object.keys(row.fields).filter((name) => ATTRIBUTE.test(name));
  const numbers = [...new Set(columns.map((name) => Number(/\d+/.exec(name))))];
  const has = (column: Column): boolean => row.fields[column] !== undefined;
  if (numbers.length === 0 || !numbers.every((at) => has(`attribute${at}name`) && has(`attribute${at}values`)))
    return undefined;
  return numbers
    .map((at) => ({
      name: text(row, `attribute${at}name`),
      values: text(row, `attribute${at}values`),
      isHidden: text(row, `attribute${at}visible`) === '0',
    }))
    .filter(({ name }) => name !== '');
};

/** @param variations of a product that has some; without one, the file does not have them, so that which attributes are options is unknown */
const toDraft = (
  row: WooCommerceRow,
  { values, columns, variants }: Offered,
  file: WooCommerceFile,
  variations?: readonly WooCommerceRow[],
): Draft => {
  const { options } = file;
  const { translations } = row.fields;
  const isWhole = variations?.length !== 0;
  const read = (column: Column): string => text(row, column);
  const optionNames = [values.optionNames ?? []].flat();
  const attributes = attributesOf(row)
    ?.filter(({ name, isHidden }) => !isHidden && !optionNames.includes(name))
    .map(
      ({ name, values }): Value => ({
        name: plainValue(name, options),
        values: plainValue(listOf(values), options),
      }),
    );
  const images = [row, ...(variations ?? [])].flatMap((each) => listOf(text(each, 'imageUrls')));
  const status = statusOf(read('published'), read('visibility'));
  return {
    ...placeOf(row),
    values: {
      ...pick(['sku', 'name'], file, read),
      ...(translations !== undefined && { translations }),
      ...pick(['subtitle', 'description'], file, (column) => linesOf(read(column))),
      ...pick(['brand'], file, () => listOf(read('brand'))[0] ?? ''),
      ...pick(['category'], file, () => deepest(listOf(read('category')), options)),
      ...pick(['tags'], file, () => listOf(read('tags'))),
      ...pick(['imageUrls'], file, () => images),
      ...(isWhole && attributes && { attributes }),
      ...((file.has('published') || status !== '') && { status }),
      ...values,
    },
    ifNew: { ...(!isWhole && attributes && { attributes }) },
    columns,
    variants,
  };
};

/** What a row itself says of its price and stock. */
const ownOffer = (row: WooCommerceRow, file: WooCommerceFile): Offered => {
  const { values, columns } = offerOf(file, {
    regular: text(row, 'price'),
    sale: text(row, 'sale'),
    from: text(row, 'saleStart'),
    to: text(row, 'saleEnd'),
  });
  const stock = stockOf(row, file);
  return { values: { ...values, ...(stock !== '' && { stock }) }, columns };
};

const toVariant = (row: WooCommerceRow, file: WooCommerceFile): VariantDraft => {
  const { values, columns } = ownOffer(row, file);
  const own = pick(['sku', 'barcode'], file, (name) => text(row, name));
  return { ...placeOf(row), values: { ...own, ...values }, columns };
};

/** The variations that can be bought. An option is an attribute of which at least one of them has a value. */
const offerOfVariations = (
  row: WooCommerceRow,
  variations: readonly WooCommerceRow[],
  file: WooCommerceFile,
): Offered => {
  const own = ownOffer(row, file);
  // The file may be of products alone.
  if (variations.length === 0) return own;
  const { stock = '' } = own.values;
  const positionOf = (each: WooCommerceRow): number => Number.parseInt(text(each, 'position'), 10) || 0;
  const sold = variations
    .filter((each) => text(each, 'published') !== '0')
    .toSorted((one, other) => positionOf(one) - positionOf(other))
    .map((each) => {
      const variant = toVariant(each, file);
      if (file.has('imageUrls')) variant.values.imageUrl = listOf(text(each, 'imageUrls'))[0] ?? '';
      if (text(each, 'stock') === 'parent') variant.values.stock = stock;
      return { variant, attributes: attributesOf(each) ?? [] };
    })
    .filter(({ variant }) => !file.has('price') || variant.values.price !== undefined);
  const variants = sold.map(({ variant }) => variant);
  const attributes = attributesOf(row);
  if (sold.length === 0) return attributes ? { ...own, values: { ...own.values, optionNames: [] }, variants } : own;
  const names = [attributes ?? [], ...sold.map((each) => each.attributes)].flat().map(({ name }) => name);
  const valueIn = (variation: (typeof sold)[number], name: string): string =>
    variation.attributes.find((attribute) => attribute.name === name)?.values.replaceAll('\\,', ',') ?? '';
  const options = [...new Set(names)].filter((name) => sold.some((each) => valueIn(each, name) !== ''));
  if (!attributes || (options.length === 0 && sold.length > 1)) return withUnknownOptions(variants);
  for (const each of sold) each.variant.values.optionValues = options.map((name) => valueIn(each, name) || ANY);
  return { values: { optionNames: options }, columns: own.columns, variants };
};

/** What is no number is kept, and is reported. Empty where the file does not say it. */
const stockOf = (row: WooCommerceRow, { options }: WooCommerceFile): string => {
  const pieces = text(row, 'stock');
  if (pieces === '' && text(row, 'inStock') === '') return '';
  if (pieces === '') return isAvailable(row) ? 'in stock' : 'out of stock';
  // What is sold on back order has no pieces, or fewer than none.
  if (/^-|^0(?:\.0*)?$/.test(pieces)) return isAvailable(row) ? String(options.stock ?? SOME) : '0';
  return pieces;
};

const isAvailable = (row: WooCommerceRow): boolean => !['', '0', 'false'].includes(text(row, 'inStock'));

/**
 * Private products are off sale; drafts and those that are pending review were never on sale. A hidden product can be bought by its address
 * alone, which a catalogue does not show. Empty where neither column says anything.
 */
const statusOf = (published: string, visibility: string): string => {
  const word = published.replace(/\.0+$/, '');
  const status = word === '-1' || word === '2' ? 'DRAFT' : word;
  const isShown = word === '' || TRUE.includes(word.toLowerCase());
  return visibility === 'hidden' && isShown ? 'OFF_SALE' : status;
};

/** The export writes line ends as `\n`. */
const linesOf = (text: string): string => text.replaceAll(/(?<!\\)\\n/g, '\n').replaceAll('\\\\n', '\\n');

/** The export writes an apostrophe before what a spreadsheet would take for a formula, such as -1. */
const unescaped = (text: string): string => text.replace(/^'(?=[=+@-])/, '');

/** Items with commas between them; a comma inside one has a backslash. */
const listOf = (text: string): string[] =>
  text
    .split(/(?<!\\),/)
    .map((item) => item.replaceAll('\\,', ',').trim())
    .filter(Boolean);
