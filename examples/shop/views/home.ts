import { element, picture } from '../elements.ts';
import { count } from '../format.ts';
import { query } from '../graphql.ts';
import { say } from '../language.ts';
import { HomeDocument, type HomeQuery } from '../operations.ts';
import { productGrid } from '../products.ts';
import { categoryPath, type MakeView, SEARCH_PATH } from '../view.ts';
import { recentlyViewed } from '../viewed.ts';

/** As many as stand in a few rows; the menu has them all. */
const FEW = 12;

export const homeView: MakeView = async (_, signal) => {
  const [{ categories, hotProducts, newProducts }, viewed] = await Promise.all([
    query(HomeDocument, {}, signal),
    recentlyViewed(signal),
  ]);
  const filled = categories.filter(({ productCount }) => productCount > 0).slice(0, FEW);
  return {
    title: say('Welcome'),
    content: element(
      'div',
      {},
      element('h1', {}, say('Welcome')),
      filled.length > 0 && element('ul', { class: 'departments' }, ...filled.map(department)),
      element('h2', {}, say('What others buy')),
      productGrid(hotProducts),
      element('h2', {}, say('Just in')),
      productGrid(newProducts),
      element('p', {}, element('a', { href: `${SEARCH_PATH}?order=NEWEST` }, say('All products, newest first'))),
      ...viewed,
    ),
  };
};

const department = ({ id, name, imageUrl, productCount }: HomeQuery['categories'][number]): HTMLElement =>
  element(
    'li',
    {},
    element(
      'a',
      { href: categoryPath(id) },
      picture(imageUrl, name),
      element(
        'span',
        {},
        element('strong', {}, name),
        element('span', { class: 'soft' }, say('{n} products', { n: count(productCount) })),
      ),
    ),
  );
