import { element } from '../elements.ts';
import { query } from '../graphql.ts';
import { CategoryDocument, type ProductOrder } from '../operations.ts';
import { productGrid } from '../products.ts';
import { categoryPath, type MakeView } from '../view.ts';
import { notFoundView } from './not-found.ts';
import { trail } from './trail.ts';

const ORDER_NAMES: Readonly<Record<Exclude<ProductOrder, 'DEFAULT'>, string>> = {
  BEST_SELLING: 'Best selling',
  NEWEST: 'Newest',
  PRICE_ASC: 'Price, lowest first',
  PRICE_DESC: 'Price, highest first',
  NAME_ASC: 'Name',
};

/** The most that the API gives at once. */
const LIMIT = 100;

const isOrder = (text: string | null): text is keyof typeof ORDER_NAMES =>
  text !== null && Object.hasOwn(ORDER_NAMES, text);

export const categoryView: MakeView = async ({ id, search }, signal) => {
  const wanted = search.get('order');
  const orderBy = isOrder(wanted) ? wanted : 'BEST_SELLING';
  const { category } = await query(CategoryDocument, { id, orderBy, limit: LIMIT }, signal);
  if (!category) return notFoundView('category');

  const { name, parent, children, products } = category;
  return {
    title: name,
    content: element(
      'div',
      {},
      trail(parent),
      element('div', { class: 'head' }, element('h1', {}, name), orderPicker(orderBy)),
      products.length === LIMIT && element('p', { class: 'soft' }, `The first ${LIMIT}.`),
      ...(products.length > 0 || children.length === 0
        ? [
            element('h2', { class: 'visually-hidden' }, 'Products'),
            productGrid(products, 'There is nothing on this shelf.'),
          ]
        : []),
      ...children.flatMap((child) => [
        element('h2', {}, element('a', { href: categoryPath(child.id) }, child.name)),
        productGrid(child.products, 'There is nothing on this shelf.'),
      ]),
    ),
  };
};

/** A form that needs no script of its own: what is chosen goes into the address, and the address decides. */
const orderPicker = (chosen: ProductOrder): HTMLElement => {
  const options = Object.entries(ORDER_NAMES).map(([value, label]) =>
    element('option', { value, selected: value === chosen }, label),
  );
  const form = element('form', {}, element('label', {}, 'Order ', element('select', { name: 'order' }, ...options)));
  form.addEventListener('change', () => form.requestSubmit());
  return form;
};
