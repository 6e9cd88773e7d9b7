import { element, picture } from '../elements.ts';
import { count, day } from '../format.ts';
import { query } from '../graphql.ts';
import { subscribe } from '../live.ts';
import {
  ProductChangesDocument,
  ProductDocument,
  type ProductQuery,
  type ProductStockFragment,
} from '../operations.ts';
import { priceTag, productGrid } from '../products.ts';
import { plainText } from '../text.ts';
import { type MakeView, SEARCH_PATH } from '../view.ts';
import { notFoundView } from './not-found.ts';
import { trail } from './trail.ts';

type Product = NonNullable<ProductQuery['product']>;

const FEW = 10;

export const productView: MakeView = async ({ id }, signal) => {
  const { product } = await query(ProductDocument, { id }, signal);
  if (!product) return notFoundView('product');

  const { name, subtitle, brand, description, category } = product;
  const others = category.products.filter((other) => other.id !== product.id).slice(0, 4);
  return {
    title: name,
    content: element(
      'div',
      {},
      trail(...category.ancestors, category),
      element(
        'article',
        { class: 'product' },
        gallery(product),
        element(
          'div',
          {},
          brand !== null && element('p', { class: 'soft' }, searchLink('brand', brand)),
          element('h1', {}, name),
          subtitle !== null && element('p', { class: 'lead' }, plainText(subtitle)),
          offer(product, signal),
          element('p', { class: 'text' }, plainText(description)),
          facts(product),
        ),
      ),
      others.length > 0 && element('h2', {}, `More ${category.name}`),
      others.length > 0 && productGrid(others),
    ),
  };
};

const searchLink = (parameter: string, value: string): HTMLElement =>
  element('a', { href: `${SEARCH_PATH}?${new URLSearchParams({ [parameter]: value })}` }, value);

/** Price and stock, which follow the back office while one looks. */
const offer = (product: Product, signal: AbortSignal): HTMLElement => {
  const place = element('div', { class: 'offer', 'aria-live': 'polite' });
  let shown = '';
  const show = (now: Pick<Product, 'price' | 'listPrice'> & ProductStockFragment): void => {
    const { price, listPrice, stock, inStock } = now;
    // An event that changes nothing here must not be read out.
    const state = JSON.stringify([price, listPrice, stock, inStock]);
    if (state === shown) return;
    if (shown !== '') place.classList.add('changed');
    shown = state;
    place.replaceChildren(priceTag(now), element('p', { class: inStock ? 'stock' : 'stock sold-out' }, stockText(now)));
  };
  show(product);
  place.addEventListener('animationend', () => place.classList.remove('changed'));
  subscribe(ProductChangesDocument, { id: product.id }, signal, ({ product: now }) => {
    if (now) return show(now);
    shown = 'gone';
    place.replaceChildren(element('p', { class: 'stock sold-out' }, 'No longer on sale'));
  });
  return place;
};

const stockText = ({ stock, inStock }: ProductStockFragment): string => {
  if (!inStock) return 'Sold out';
  return stock < FEW ? `Only ${stock} left` : `In stock: ${count(stock)}`;
};

const facts = ({ tags, sales, publishedAt }: Product): HTMLElement =>
  element(
    'ul',
    { class: 'facts' },
    ...tags.map((tag) => element('li', { class: 'badge' }, searchLink('tag', tag))),
    element('li', {}, `${count(sales)} sold`),
    element('li', {}, 'Since ', day(publishedAt)),
  );

/** The pictures, one large; where there are none, the one of the tile. */
const gallery = ({ name, imageUrl, imageUrls }: Product): HTMLElement => {
  const urls = imageUrls.length > 0 ? imageUrls : [imageUrl];
  const stage = element('div', { class: 'stage' });
  const show = (url: string | null, index: number): void => {
    stage.replaceChildren(picture(url, name, { alt: urls.length > 1 ? `${name}, picture ${index + 1}` : name }));
    for (const [at, button] of buttons.entries()) button.setAttribute('aria-pressed', String(at === index));
  };
  const buttons = urls.map((url, index) => {
    const button = element('button', { type: 'button', 'aria-label': `Picture ${index + 1}` }, picture(url, name));
    button.addEventListener('click', () => show(url, index));
    return button;
  });
  show(urls[0] ?? null, 0);
  return element(
    'div',
    { class: 'gallery' },
    stage,
    urls.length > 1 && element('div', { class: 'thumbs' }, ...buttons),
  );
};
