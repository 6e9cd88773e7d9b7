import { element, picture } from '../elements.ts';
import { count, day } from '../format.ts';
import { query } from '../graphql.ts';
import { ProductDocument, type ProductQuery } from '../operations.ts';
import { priceTag, productGrid } from '../products.ts';
import type { MakeView } from '../view.ts';
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
      trail(category.parent, category),
      element(
        'article',
        { class: 'product' },
        gallery(product),
        element(
          'div',
          {},
          brand !== null && element('p', { class: 'soft' }, brand),
          element('h1', {}, name),
          subtitle !== null && element('p', { class: 'lead' }, subtitle),
          priceTag(product),
          element('p', { class: product.inStock ? 'stock' : 'stock sold-out' }, stockText(product)),
          element('p', { class: 'text' }, description),
          facts(product),
        ),
      ),
      others.length > 0 && element('h2', {}, `More ${category.name}`),
      others.length > 0 && productGrid(others),
    ),
  };
};

const stockText = ({ stock, inStock }: Product): string => {
  if (!inStock) return 'Sold out';
  return stock < FEW ? `Only ${stock} left` : 'In stock';
};

const facts = ({ tags, sales, publishedAt }: Product): HTMLElement =>
  element(
    'ul',
    { class: 'facts' },
    ...tags.map((tag) => element('li', { class: 'badge' }, tag)),
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
