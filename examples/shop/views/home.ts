import { element } from '../elements.ts';
import { query } from '../graphql.ts';
import { HomeDocument } from '../operations.ts';
import { productGrid } from '../products.ts';
import type { MakeView } from '../view.ts';

export const homeView: MakeView = async (_, signal) => {
  const { hotProducts, newProducts } = await query(HomeDocument, {}, signal);
  return {
    title: 'Welcome',
    content: element(
      'div',
      {},
      element('h1', {}, 'Welcome'),
      element('h2', {}, 'What others buy'),
      productGrid(hotProducts),
      element('h2', {}, 'Just in'),
      productGrid(newProducts),
    ),
  };
};
