import { element, picture } from './elements.ts';
import { money, reduction } from './format.ts';
import { say } from './language.ts';
import type { ProductListFragment, ProductPriceFragment, ProductTileFragment } from './operations.ts';
import { plainText } from './text.ts';
import { productPath } from './view.ts';

/** The price, and beside a reduced one what it was. @param from the word before the least of several prices */
export const priceTag = ({ price, listPrice }: ProductPriceFragment, from = ''): HTMLElement => {
  const reduced = reduction(price, listPrice);
  if (!listPrice || !reduced) return element('p', { class: 'price' }, from, money(price));
  return element(
    'p',
    { class: 'price' },
    from || element('span', { class: 'visually-hidden' }, `${say('Now')} `),
    element('ins', {}, money(price)),
    ' ',
    element('span', { class: 'visually-hidden' }, `${say('before')} `),
    element('del', {}, money(listPrice)),
    ' ',
    element('span', { class: 'reduction' }, reduced),
  );
};

type Highlight = NonNullable<ProductListFragment['edges'][number]['highlight']>;

const marked = (segments: Highlight['name']): (Node | string)[] =>
  segments.map(({ text, isMatch }) => (isMatch ? element('mark', {}, text) : text));

const tile = (product: ProductTileFragment, highlight: Highlight | null = null): HTMLElement => {
  // Where the name does not say why a product was found, the words around the match do.
  const isNamed = highlight?.name.some(({ isMatch }) => isMatch) ?? true;
  const snippet = isNamed ? undefined : highlight?.snippet;
  const found = snippet?.some(({ isMatch }) => isMatch) ? marked(snippet) : undefined;
  return element(
    'li',
    { class: 'tile' },
    element(
      'a',
      { href: productPath(product.id) },
      picture(product.imageUrl, product.name, { loading: 'lazy' }),
      element('h3', {}, ...(highlight ? marked(highlight.name) : [product.name])),
    ),
    (found ?? product.subtitle) &&
      element('p', { class: 'soft clamp' }, ...(found ?? [plainText(product.subtitle ?? '')])),
    priceTag(product, product.priceRange.max.amount === product.price.amount ? '' : `${say('from')} `),
    !product.inStock && element('p', { class: 'soft' }, say('Sold out')),
  );
};

/** A grid of products. @param empty says that there are none */
export const productGrid = (products: readonly ProductTileFragment[], empty = say('Nothing here yet.')): HTMLElement =>
  products.length === 0
    ? element('p', { class: 'empty' }, empty)
    : element('ul', { class: 'grid' }, ...products.map((product) => tile(product)));

/** What a search has found, with the words that it was found by. */
export const foundGrid = (edges: ProductListFragment['edges']): HTMLElement =>
  element('ul', { class: 'grid' }, ...edges.map(({ node, highlight }) => tile(node, highlight)));
