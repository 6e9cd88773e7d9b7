import { Prisma, type Product as ProductRow } from '../database/generated/client/client.ts';
import { lookedUp } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import type { Loaders } from '../graphql/context.ts';
import { shownText } from '../language/shown.ts';
import { Money, Product } from '../product/product.schema.ts';
import { NAME_LABEL, VALUE_LABELS } from '../translation/translation.schema.ts';
import type { Item as ItemRow, VariantOfProduct } from './variant.loader.ts';

interface OptionValue {
  readonly name: string;
  readonly value: string;
}

const SelectedOption = builder.objectRef<OptionValue>('SelectedOption').implement({
  description: 'What a variant is in one respect: the size M.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Of the option: `Size`.' }),
    value: t.exposeString('value', { description: 'Of this variant: `M`.' }),
    label: t.string(NAME_LABEL),
    valueLabel: t.string({
      description: 'What the value is called, for people.',
      resolve: ({ value }, _, { loaders }) => loaders.termTranslation.label(value),
    }),
  }),
});

const SelectedOptionInput = builder.inputType('SelectedOptionInput', {
  description: 'What a variant has to be in one respect.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Of the option, as it is written.' }),
    value: t.string({ required: true, description: 'Of the variant, as it is written.' }),
  }),
});

/** A name without a value, or a value without a name, is left out. */
const selectedOptionsOf = ({ product, optionValues }: VariantOfProduct): OptionValue[] =>
  product.optionNames.flatMap((name, place) => {
    const value = optionValues[place];
    return value === undefined ? [] : [{ name, value }];
  });

const ProductVariant = builder.prismaObject('ProductVariant', {
  description: 'One of the forms that a product is sold in: a size in a colour.',
  include: { product: true },
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Stays the same for good.' }),
    product: t.field({ type: Product, description: 'What it is a form of.', resolve: ({ product }) => product }),
    sku: t.exposeString('sku', { nullable: true, description: 'Its stock-keeping number, unique among all variants.' }),
    barcode: t.exposeString('barcode', { nullable: true, description: 'The number on its package: EAN, UPC, ISBN.' }),
    title: t.string({
      description:
        'What the values of its options are called, `M / Blue`; the name of the product where there are none.',
      resolve: async ({ product, optionValues }, _, { language, loaders }) => {
        if (optionValues.length === 0) return shownText(product, 'name', language.fallBacks);
        return (await loaders.termTranslation.labels(optionValues)).join(' / ');
      },
    }),
    selectedOptions: t.field({
      type: [SelectedOption],
      description: 'What it is, in each respect that the product is chosen by.',
      extensions: { assumedSize: 3 },
      resolve: selectedOptionsOf,
    }),
    price: t.field({
      type: Money,
      description: 'What it costs now.',
      resolve: ({ product, price }) => ({ amount: price, currencyCode: product.currency }),
    }),
    listPrice: t.field({
      type: Money,
      nullable: true,
      description: 'The price before a reduction.',
      resolve: ({ product, listPrice }) => listPrice && { amount: listPrice, currencyCode: product.currency },
    }),
    stock: t.exposeInt('stock', { description: 'How many are left.' }),
    inStock: t.boolean({ description: 'Whether any are left.', resolve: ({ stock }) => stock > 0 }),
    imageUrl: t.exposeString('imageUrl', { nullable: true, description: 'Its own picture.' }),
    position: t.exposeInt('position', { description: 'Variants are sorted by it, then by id.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the back office entered it.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the back office last said it changed.' }),
  }),
});

const ProductOption = builder
  .objectRef<{ readonly name: string; readonly values: string[] }>('ProductOption')
  .implement({
    description: 'A respect in which the variants of a product differ.',
    fields: (t) => ({
      name: t.exposeString('name', { description: '`Size`' }),
      values: t.exposeStringList('values', { description: 'Each once, in the order of the variants.' }),
      label: t.string(NAME_LABEL),
      valueLabels: t.stringList(VALUE_LABELS),
    }),
  });

const PriceRange = builder
  .objectRef<{ readonly min: typeof Money.$inferType; readonly max: typeof Money.$inferType }>('PriceRange')
  .implement({
    description: 'From the least to the greatest price.',
    fields: (t) => ({
      min: t.expose('min', { type: Money, description: 'The least.' }),
      max: t.expose('max', { type: Money, description: 'The greatest.' }),
    }),
  });

// In rows: for these fields all variants of a product are read, up to 250.
const VARIANTS_COST = 10;

builder.prismaObjectFields(Product, (t) => ({
  options: t.field({
    type: [ProductOption],
    description: 'What its variants differ in, at most five.',
    extensions: { assumedSize: 3, extraCost: VARIANTS_COST },
    resolve: async (product, _, { loaders }) => {
      if (product.optionNames.length === 0) return [];
      const variants = await loaders.productVariant.ofProduct(product);
      return product.optionNames.map((name, place) => ({
        name,
        values: [...new Set(variants.flatMap(({ optionValues }) => optionValues[place] ?? []))],
      }));
    },
  }),
  variants: t.field({
    type: [ProductVariant],
    description: 'The forms that it is sold in, by position, then id: none, or at most 250.',
    extensions: { assumedSize: 20 },
    resolve: (product, _, { loaders }) => loaders.productVariant.ofProduct(product),
  }),
  variant: t.field({
    type: ProductVariant,
    nullable: true,
    description: 'The variant with exactly these options; null where there is none.',
    args: { options: t.arg({ type: [SelectedOptionInput], required: true, description: 'In any order.' }) },
    extensions: { extraCost: VARIANTS_COST },
    resolve: async (product, { options }, { loaders }) => {
      const variants = await loaders.productVariant.ofProduct(product);
      return variants.find((variant) => isChosenBy(options, variant)) ?? null;
    },
  }),
  featuredVariant: t.field({
    type: ProductVariant,
    nullable: true,
    description: 'The first of its variants that is in stock, else the first; null where there are none.',
    extensions: { extraCost: VARIANTS_COST },
    resolve: async (product, _, { loaders }) => {
      const variants = await loaders.productVariant.ofProduct(product);
      return variants.find(({ stock }) => stock > 0) ?? variants[0] ?? null;
    },
  }),
  priceRange: t.field({
    type: PriceRange,
    description: 'Of its variants; its own price where there are none.',
    extensions: { extraCost: VARIANTS_COST },
    resolve: async (product, _, { loaders }) =>
      rangeOf(
        (await soldAs(product, loaders)).map(({ price }) => price),
        product,
      ),
  }),
  listPriceRange: t.field({
    type: PriceRange,
    nullable: true,
    description: 'The same before reductions; null where nothing of it is reduced.',
    extensions: { extraCost: VARIANTS_COST },
    resolve: async (product, _, { loaders }) => {
      const all = await soldAs(product, loaders);
      if (!all.some(isReduced)) return null;
      return rangeOf(
        all.map((each) => (isReduced(each) ? each.listPrice : each.price)),
        product,
      );
    },
  }),
}));

type Priced = Pick<ProductRow, 'price' | 'listPrice'>;

/** The variants of a product; itself where there are none. */
const soldAs = async (product: ProductRow, { productVariant }: Loaders): Promise<readonly Priced[]> => {
  const variants = await productVariant.ofProduct(product);
  return variants.length > 0 ? variants : [product];
};

const isReduced = (priced: Priced): priced is Priced & { readonly listPrice: Prisma.Decimal } =>
  priced.listPrice?.greaterThan(priced.price) === true;

const rangeOf = (amounts: readonly Prisma.Decimal[], { currency: currencyCode }: ProductRow) => ({
  min: { amount: Prisma.Decimal.min(...amounts), currencyCode },
  max: { amount: Prisma.Decimal.max(...amounts), currencyCode },
});

/** A variant that has more values than the product has names cannot be chosen by the names alone. */
const isChosenBy = (chosen: readonly OptionValue[], variant: VariantOfProduct): boolean =>
  chosen.length === variant.optionValues.length &&
  selectedOptionsOf(variant).every((option) =>
    chosen.some(({ name, value }) => name === option.name && value === option.value),
  );

const Item = builder.objectRef<ItemRow>('Item').implement({
  description: 'What a key stands for.',
  fields: (t) => ({
    product: t.expose('product', { type: Product, description: 'The product.' }),
    variant: t.expose('variant', {
      type: ProductVariant,
      nullable: true,
      description: 'The variant of it that has the key; null for a key of the product itself.',
    }),
  }),
});

builder.queryFields((t) => ({
  variantsByIds: t.field({
    type: [ProductVariant],
    nullable: { list: false, items: true },
    description: 'Variants of visible products, in the order asked for: a cart. Null for an id that none has.',
    args: { ids: t.arg.intList(lookedUp) },
    resolve: (_, { ids }, { loaders }) => Promise.all(ids.map((id) => loaders.productVariant.byId(id))),
  }),

  variantsBySkus: t.field({
    type: [ProductVariant],
    nullable: { list: false, items: true },
    description: 'Variants of visible products, in the order asked for. Null for an SKU that none has.',
    args: { skus: t.arg.stringList(lookedUp) },
    resolve: (_, { skus }, { loaders }) => Promise.all(skus.map((sku) => loaders.productVariant.bySku(sku))),
  }),

  itemsByKeys: t.field({
    type: [Item],
    nullable: { list: false, items: true },
    description:
      'What keys stand for, in the order asked for: `product/17`, `variant/33`, the SKU or barcode of a variant, the SKU of a product, its slug. Null for a key of nothing that is visible; of several variants with a barcode, the first.',
    args: { keys: t.arg.stringList(lookedUp) },
    resolve: (_, { keys }, { loaders }) => Promise.all(keys.map((key) => loaders.productVariant.byKey(key))),
  }),
}));
