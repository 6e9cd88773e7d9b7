import type { ProductQuery, VariantFragment } from '../operations.ts';
import { variantName } from './picker.ts';

type Product = NonNullable<ProductQuery['product']>;

interface Addresses {
  readonly page: string;
  readonly variant: (variant: VariantFragment) => string;
  readonly image: (url: string) => string;
}

/**
 * A product for search engines, as JSON-LD: https://schema.org/Product with an offer, or one for each variant.
 * @param product with its texts plain
 * @returns text for a `script` element, which nothing in it can end
 */
export const structuredData = (product: Product, addresses: Addresses): string => {
  const { name, description, brand, sku, images, attributes, category, variants } = product;
  const offers = variants.map((variant) => ({
    ...offer(variant, addresses.variant(variant)),
    name: variantName(name, variant),
    sku: variant.sku ?? undefined,
    gtin: isGtin(variant.barcode) ? variant.barcode : undefined,
    image: variant.imageUrl === null ? undefined : addresses.image(variant.imageUrl),
  }));
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    url: addresses.page,
    name,
    description,
    sku: sku ?? undefined,
    brand: brand === null ? undefined : { '@type': 'Brand', name: brand },
    category: [...category.ancestors, category].map((each) => each.name).join(' > '),
    image: images.map(({ url }) => addresses.image(url)),
    additionalProperty: attributes.map(({ name, values }) => ({
      '@type': 'PropertyValue',
      name,
      value: values.join(', '),
    })),
    offers:
      offers.length === 0
        ? offer(product, addresses.page)
        : {
            '@type': 'AggregateOffer',
            lowPrice: product.price.amount,
            highPrice: product.priceRange.max.amount,
            priceCurrency: product.price.currencyCode,
            offerCount: offers.length,
            offers,
          },
  };
  return JSON.stringify(data).replaceAll('<', '\\u003c');
};

const offer = ({ price, inStock }: Pick<Product, 'price' | 'inStock'>, url: string) => ({
  '@type': 'Offer',
  url,
  price: price.amount,
  priceCurrency: price.currencyCode,
  availability: `https://schema.org/${inStock ? 'InStock' : 'OutOfStock'}`,
});

const isGtin = (barcode: string | null): boolean => /^(\d{8}|\d{12,14})$/.test(barcode ?? '');
