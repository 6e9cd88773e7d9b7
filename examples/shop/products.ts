import { element, picture } from './elements.ts';
import { money, reduction } from './format.ts';
import type { ProductTileFragment } from './operations.ts';
import { productPath } from './view.ts';

/** The price, and beside a reduced one what it was. */
export const priceTag = ({ price, listPrice }: Pick<ProductTileFragment, 'price' | 'listPrice'>): HTMLElement => {
  const reduced = reduction(price, listPrice);
  if (!listPrice || !reduced) return element('p', { class: 'price' }, money(price));
  return element(
    'p',
    { class: 'price' },
    element('span', { class: 'visually-hidden' }, 'Now '),
    element('ins', {}, money(price)),
    ' ',
    element('span', { class: 'visually-hidden' }, 'before '),
    element('del', {}, money(listPrice)),
    ' ',
    element('span', { class: 'reduction' }, reduced),
  );
};

const tile = (product: ProductTileFragment): HTMLElement =>
  element(
    'li',
    { class: 'tile' },
    element(
      'a',
      { href: productPath(product.id) },
      picture(product.imageUrl, product.name, { loading: 'lazy' }),
      element('h3', {}, product.name),
    ),
    product.subtitle && element('p', { class: 'soft' }, product.subtitle),
    priceTag(product),
    !product.inStock && element('p', { class: 'soft' }, 'Sold out'),
  );

/** A grid of products. @param empty says that there are none */
export const productGrid = (products: readonly ProductTileFragment[], empty = 'Nothing here yet.'): HTMLElement =>
  products.length === 0
    ? element('p', { class: 'empty' }, empty)
    : element('ul', { class: 'grid' }, ...products.map(tile));
