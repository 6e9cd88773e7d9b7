import {
  assignCategorySlugs,
  categoryReference,
  createMissingCategories,
  rejectUnknownCategories,
} from '../category/category-paths.steps.ts';
import {
  attributes,
  mergeAttributes,
  optionNames,
  pictureUrl,
  pictureUrls,
  tags,
  textsByPlace,
} from '../import/fields/lists.ts';
import { type Parse, wordIn } from '../import/fields/parse.ts';
import { amount, CURRENCY_NAMES, completeCurrency, currency, shapeMoney } from '../import/fields/price.ts';
import { PRODUCT_TEXTS, withTranslations } from '../import/fields/translations.ts';
import { code, count, FALSE, longText, oneOf, plain, richText, TRUE } from '../import/fields/values.ts';
import {
  CREATED_AT,
  field,
  type ImportKind,
  NAME,
  nullable,
  required,
  SLUG,
  STOCK,
  shownFrom,
  UPDATED_AT,
} from '../import/kind.ts';
import { isBlank, isObject, type Value } from '../import/record.ts';
import { STAGE } from '../import/write/stage.ts';
import { findProducts } from './product-slugs.steps.ts';
import { leaveSkuToFirst, prepareVariants, rejectUnfitProducts } from './product-variants.steps.ts';

const STATUS = oneOf('DRAFT', 'ON_SALE', 'OFF_SALE');

/** Words of shops that only show or hide a product; 2 is Magento's for one that is hidden. */
const SHOWN = new Set([...TRUE, 'active', 'enabled', 'visible']);
const HIDDEN = new Set([...FALSE, 'inactive', 'disabled', 'hidden', '2']);

const status: Parse<string> = (value) => {
  const word = wordIn(value);
  if (SHOWN.has(word)) return 'ON_SALE';
  return HIDDEN.has(word) ? 'OFF_SALE' : STATUS(value);
};

/** The database keeps them, where a product has variants. */
const ofVariants = { derivedIf: 'exists (select from product_variant v where v.product_id = t.id)' };

export const productImport: ImportKind = {
  table: 'product',
  plural: 'products',
  key: 'slug',
  otherKey: 'sku',
  keepsRejected: true,
  fields: withTranslations(
    {
      slug: SLUG,
      name: NAME,
      category: categoryReference('category_id', required),
      subtitle: field('subtitle', 'text', richText, nullable),
      description: field('description', 'text', richText),
      brand: field('brand', 'text', plain(longText), nullable),
      tags: field('tags', 'text[]', tags),
      price: field('price', 'numeric(14,2)', amount, { ...required, ...ofVariants }),
      // A list price at or below the price is no reduction.
      listPrice: field('list_price', 'numeric(14,2)', amount, {
        ...nullable,
        mustExceed: 'price',
        ...ofVariants,
      }),
      currency: field('currency', 'char(3)', currency),
      // The default of the table would be sold out.
      stock: { ...STOCK, ...ofVariants },
      sales: field('sales', 'int', count),
      imageUrl: field('image_url', 'text', pictureUrl, nullable),
      imageUrls: field('image_urls', 'text[]', pictureUrls),
      imageAlts: field('image_alts', 'text[]', plain(textsByPlace)),
      sku: field('sku', 'text', code, { ...nullable, isUnique: true }),
      optionNames: field('option_names', 'text[]', plain(optionNames)),
      attributes: field('attributes', 'text', attributes, { merge: mergeAttributes }),
      status: field('status', 'product_status', status),
      publishedAt: shownFrom('published_at'),
      createdAt: CREATED_AT,
      updatedAt: UPDATED_AT,
    },
    PRODUCT_TEXTS,
  ),
  complete: (draft, context) => {
    const { values, variants = [] } = draft;
    if (variants.length > 0) {
      for (const name of ['price', 'listPrice', 'stock']) delete values[name];
      draft.ifNew = { ...draft.ifNew, price: '0' };
      for (const [at, variant] of variants.entries())
        if (isBlank(variant.values.position)) variant.values.position = String(at + 1);
    }
    completeCurrency(values, variants, context);
    const { category = context.fileFormat.category } = context;
    if (!category || !isBlank(values.category)) return;
    if (context.fileFormat.category !== undefined && values.category !== undefined) values.category = category;
    else {
      delete values.category;
      draft.ifNew = { ...draft.ifNew, category };
    }
  },
  check: (row) => {
    const { image_urls: pictures } = row;
    // By default the first of the pictures; a product without pictures has none.
    if (row.image_url || !row.present.includes('imageUrls')) return;
    row.image_url = Array.isArray(pictures) ? pictures[0] : undefined;
    row.present.push('imageUrl');
  },
  native: {
    summary: 'products, with columns as in the table product or the API',
    needs: 'name, price and category',
    // With --key sku, variants have what a product has, too.
    recognises: (hasAny, hasNoOther) =>
      ((hasAny('name') || !hasAny('product')) &&
        hasAny('slug', 'name') &&
        hasAny(
          'price',
          'stock',
          'sales',
          'tags',
          'brand',
          'listprice',
          'category',
          'publishedat',
          'variants',
          'attributes',
        )) ||
      // Categories have no descriptions.
      (hasAny('slug') && hasAny('description', 'subtitle') && hasNoOther()) ||
      // What only products have, such as new statuses: categories have names and pictures, too.
      (hasAny('slug') && !hasAny('name', 'imageurl') && hasNoOther()),
    aliases: CURRENCY_NAMES,
    alternatives: {
      category: ['categorySlug'],
      slug: ['name'],
      optionNames: ['options'],
      imageAlts: ['images'],
    },
    shape: (values) => {
      shapeMoney(values);
      // So does it with pictures, which show the product where nothing else is said, and with options.
      const [images, withNames] = [objectsIn(values.images), objectsIn(values.options)];
      if (images) {
        values.imageUrls ??= images.map(({ url = '' }) => url);
        values.imageAlts ??= images.map(({ alt = '' }) => (alt === values.name ? '' : alt));
      }
      if (withNames) values.optionNames ??= withNames.map(({ name = '' }) => name);
      if (!isBlank(values.categorySlug)) values.category = { slug: values.categorySlug ?? '' };
    },
  },
  write: {
    find: async (context) => {
      if (context.fileFormat.mayShareSkus) await leaveSkuToFirst(context, STAGE);
      await findProducts(context);
      // The path that only a new product takes: each staged path is created.
      await context.client.query(`
        update ${STAGE} set category_path = null where 'category' = any (if_new) and target_id is not null`);
      await assignCategorySlugs(context.client);
    },
    reject: async (context) => {
      await rejectUnknownCategories(context);
      await rejectUnfitProducts(context);
    },
    prepare: async (context) => {
      const variants = await prepareVariants(context);
      return {
        ...variants,
        before: async (range, counts) => {
          await createMissingCategories(context.client, range, counts);
          await variants.before?.(range, counts);
        },
      };
    },
  },
};

const objectsIn = (value: Value | undefined): readonly Readonly<Record<string, Value>>[] | undefined =>
  Array.isArray(value) && value.every(isObject) ? value : undefined;
