import { parse } from 'csv-parse/sync';
import { trimmedOf } from '../fields/parse.ts';
import { commonCurrency } from '../fields/price.ts';
import { isSoldOut } from '../fields/values.ts';
import { isObject, placeOf, type Value } from '../record.ts';
import { type Draft, type FormatFile, pick, type Row, type ShopFormat, type VariantDraft } from './format.ts';
import { ANY, type Offered, offerOf, withoutOptions } from './offer.ts';

/** The attributes that are read: https://support.google.com/merchants/answer/7052112 */
const NAMES = {
  sku: ['id'],
  name: ['title'],
  description: ['description'],
  imageUrl: ['image_link'],
  moreImages: ['additional_image_link'],
  availability: ['availability'],
  stock: ['quantity', 'sell_on_google_quantity', 'quantity_to_sell_on_facebook'],
  price: ['price'],
  sale: ['sale_price'],
  saleDates: ['sale_price_effective_date'],
  brand: ['brand'],
  category: ['product_type'],
  taxonomy: ['google_product_category'],
  barcode: ['gtin'],
  group: ['item_group_id'],
  groupName: ['item_group_title'],
  color: ['color'],
  size: ['size'],
  material: ['material'],
  pattern: ['pattern'],
  gender: ['gender'],
  ageGroup: ['age_group'],
  // The name of a table's column says of which parts a value is made.
  attributes: [
    'product_detail',
    'product_detail(section_name:attribute_name:attribute_value)',
    'product_detail(attribute_name:attribute_value)',
  ],
};

type Column = keyof typeof NAMES;
type GoogleFile = FormatFile<Column>;

/** In what the items of a group may differ. In what they do not, is an attribute of the product. */
const FEATURES = [
  ['color', 'Color'],
  ['size', 'Size'],
  ['material', 'Material'],
  ['pattern', 'Pattern'],
  ['gender', 'Gender'],
  ['ageGroup', 'Age group'],
] as const;

/** A feed for Google Merchant Center, as text with tabs or as XML. The items of a group, which may stand anywhere, are one product. */
export const google: ShopFormat<Column> = {
  name: 'google',
  summary: 'feeds for Google Merchant Center and Meta, as text or XML',
  names: NAMES,
  sources: {
    slug: ['name'],
    listPrice: ['price'],
    currency: ['price'],
    imageUrls: ['moreImages'],
  },
  otherKey: 'sku',
  recognises: (hasAny) =>
    hasAny('id') && hasAny('title') && hasAny('imagelink', 'availability', 'googleproductcategory'),
  open: (file) => {
    // Items of groups wait for the others until the end of the file, in memory.
    const groups = new Map<string, [Item, ...Item[]]>();
    const brokenLines = new Map<string, number>();
    return {
      read: (record) => {
        const item = toItem(record, file);
        const group = trimmedOf(record.fields.group);
        if (group === '') return [toDraft(item, withoutOptions(item.variant), file)];
        const items = groups.get(group);
        // Of the others, their variants are kept alone.
        if (items) items.push({ ...item, product: items[0].product });
        else groups.set(group, [item]);
        return [];
      },
      readBroken: (record) => {
        const group = trimmedOf(record.fields.group);
        if (!brokenLines.has(group)) brokenLines.set(group, record.line);
      },
      end: () => {
        // An item of no known group may be one of any.
        const [, unknown] = [...brokenLines].find(([group]) => !groups.has(group)) ?? [];
        return [...groups].map(([id, items]) => {
          const line = brokenLines.get(id) ?? unknown;
          const rejection =
            line && `is not imported, because line ${line}, which is broken, may be an item of its group`;
          return { ...toGroup(id, items, file), rejection: rejection || undefined };
        });
      },
    };
  },
};

/** The name of an attribute, and a value. */
type Pair = readonly [string, string];

interface Item {
  /** What is no matter of a variant. */
  readonly product: Draft;
  readonly variant: VariantDraft;
  readonly title: string;
  readonly groupTitle: string;
  readonly images: readonly Value[];
  readonly attributes: readonly Pair[];
}

const toItem = (record: Row<Column>, file: GoogleFile): Item => {
  const { fields } = record;
  /** The first value of an attribute, which a feed may repeat. */
  const read = (column: Column): string => trimmedOf([fields[column] ?? ''].flat()[0]);
  const [from = '', to = ''] = read('saleDates').split('/');
  const [regular, sale] = [moneyOf(read('price')), moneyOf(read('sale'))];
  const offer = offerOf(file, { regular: regular.amount, sale: sale.amount, from, to });
  const category = read('category') || nameOf(read('taxonomy'));
  const isCounted = read('stock') !== '' && !isSoldOut(read('availability'));
  const stockColumn = isCounted ? 'stock' : 'availability';
  const features = FEATURES.map(([column, name]): Pair => [name, read(column)]).filter(([, value]) => value !== '');
  return {
    product: {
      ...placeOf(record),
      values: {
        ...pick(['name', 'description', 'brand', 'imageUrl'], file, read),
        ...(fields.translations !== undefined && { translations: fields.translations }),
        // An item of no type has no category, if the feed has that attribute.
        ...((category !== '' || file.has('category')) && { category }),
      },
      columns: read('category') === '' && category !== '' ? { category: file.columnOf('taxonomy') } : undefined,
    },
    variant: {
      ...placeOf(record),
      values: {
        ...pick(['sku', 'barcode', 'imageUrl'], file, read),
        ...offer.values,
        ...(regular.currency + sale.currency !== '' && { currency: commonCurrency(regular.currency, sale.currency) }),
        // An item that says neither leaves what is there.
        ...(read(stockColumn) !== '' && { stock: read(stockColumn) }),
      },
      columns: { ...offer.columns, stock: file.columnOf(stockColumn) },
    },
    title: read('name'),
    groupTitle: read('groupName'),
    images: [read('imageUrl'), ...listOf(fields.moreImages)],
    attributes: [...features, ...pairsOf(fields.attributes)],
  };
};

const toDraft = ({ product, images, attributes }: Item, offered: Offered, file: GoogleFile): Draft => {
  const hasImages = file.has('imageUrl') && file.has('moreImages');
  const hasAttributes = file.has('attributes') || FEATURES.some(([column]) => file.has(column));
  const named = [...Map.groupBy(attributes, ([name]) => name)];
  return {
    ...product,
    values: {
      ...product.values,
      ...(hasImages && { imageUrls: [...images] }),
      ...(hasAttributes && { attributes: named.map(([name, of]) => ({ name, values: of.map(([, value]) => value) })) }),
      ...offered.values,
    },
    columns: { ...product.columns, ...offered.columns },
    variants: offered.variants,
  };
};

const toGroup = (id: string, items: readonly [Item, ...Item[]], file: GoogleFile): Draft => {
  const [{ product, title, groupTitle, attributes }] = items;
  const titles = items.map(({ title }) => title);
  const names: string[] = FEATURES.map(([, name]) => name).filter(
    (name) => new Set(items.map((item) => valueIn(item, name))).size > 1,
  );
  const optionValues = items.map((item) => names.map((name) => valueIn(item, name) || ANY));
  if (new Set(optionValues.map((each) => each.join('\n'))).size < items.length) {
    // A feed that does not say in what its items differ has it in their titles, or else in their ids alone.
    const telling =
      new Set(titles).size === items.length ? titles : items.map(({ variant }) => String(variant.values.sku));
    names.push('Title');
    for (const [at, values] of optionValues.entries()) values.push(telling[at] ?? ANY);
  }
  const group: Item = {
    ...items[0],
    product: {
      ...product,
      values: {
        ...product.values,
        ...(file.has('name') && { name: groupTitle || withoutOption(commonStart(titles), names) || title }),
      },
    },
    images: items.flatMap(({ images }) => images),
    attributes: attributes.filter(([name]) => !names.includes(name)),
  };
  for (const [at, { variant }] of items.entries()) variant.values.optionValues = optionValues[at] ?? [];
  const variants = items.map(({ variant }) => variant);
  return toDraft(group, { values: { sku: id, optionNames: names }, variants }, file);
};

const valueIn = ({ attributes }: Item, name: string): string => attributes.find(([each]) => each === name)?.[1] ?? '';

/** The words with which all texts begin. */
const commonStart = ([first = '', ...others]: readonly string[]): string => {
  const words = first.split(' ');
  const differs = words.findIndex((_, at) => {
    const start = words.slice(0, at + 1).join(' ');
    return !others.every((text) => text === start || text.startsWith(`${start} `));
  });
  return (differs === -1 ? words : words.slice(0, differs)).join(' ').replace(/[^\p{L}\p{N})"'”’!?.]+$/u, '');
};

/** The start of the titles without the word of an option that their rest has a value of: `Tee - Color` of `Tee - Color Blue`. */
const withoutOption = (start: string, options: readonly string[]): string => {
  const words = options.flatMap((name) => (name === 'Color' ? [name, 'Colour'] : [name]));
  const end = words.find((word) => start.toLowerCase().endsWith(` ${word.toLowerCase()}`)) ?? '';
  return end === '' ? start : start.slice(0, -end.length).replace(/[^\p{L}\p{N})"'”’!?.]+$/u, '');
};

/** An amount with the code of its currency before or behind it, such as `19.90 EUR`. */
const moneyOf = (text: string): { amount: string; currency: string } => {
  const [, before = '', amount = text, behind = before] =
    /^(?:([a-z]{3})\s*(?=[-+]?[\d.,]))?(.*?)(?:(?<=[\d.,])\s*([a-z]{3}))?$/i.exec(text) ?? [];
  return { amount, currency: behind };
};

/** Google's own categories may be numbers, which are no names. */
const nameOf = (taxonomy: string): string => (/^\d*$/.test(taxonomy) ? '' : taxonomy);

/** Repeated elements, or addresses with commas between them. */
const listOf = (value: Value | undefined): readonly Value[] => {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? value.split(/\s*,\s*(?=https?:)/).filter(Boolean) : [];
};

/**
 * Elements with a name and a value, or texts such as `Display:Resolution:432 x 240,Display:Diagonal:"2.5"""`: what has a comma, a colon or a
 * quote is in quotes there, as in CSV. The section, which comes first of three, is left out.
 */
const pairsOf = (value: Value | undefined): readonly Pair[] =>
  [value ?? '']
    .flat()
    .flatMap((each): readonly (readonly Value[])[] => {
      if (isObject(each)) return [[each.attribute_name ?? each.name ?? '', each.attribute_value ?? each.value ?? '']];
      const pairs: string[][] = parse(String(each), {
        ...{ delimiter: ':', record_delimiter: ',', trim: true, relax_column_count: true, relax_quotes: true },
      });
      return pairs.map((parts) => {
        const [name = '', ...rest] = parts.slice(parts.length >= 3 ? 1 : 0);
        return [name, rest.join(':')];
      });
    })
    .flatMap(([name, of]) =>
      typeof name === 'string' && typeof of === 'string' && name && of ? [[name, of] as const] : [],
    );
