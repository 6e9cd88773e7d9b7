import { element } from '../elements.ts';
import { count } from '../format.ts';
import { query } from '../graphql.ts';
import { say } from '../language.ts';
import { listing } from '../listing/listing.ts';
import { readSelection, toVariables } from '../listing/selection.ts';
import { CategoryDocument, type CategoryQuery } from '../operations.ts';
import { categoryPath, type MakeView } from '../view.ts';
import { notFoundView } from './not-found.ts';
import { trail } from './trail.ts';

/** As many children as fit above the products; the others open on demand. */
const FEW_CHILDREN = 12;

export const categoryView: MakeView = async ({ id, search }, signal) => {
  const selection = { ...readSelection(search), category: undefined };
  const { category, productSearch } = await query(CategoryDocument, { id, ...toVariables(selection, id) }, signal);
  if (!category) return notFoundView('category');

  const { name, ancestors, children } = category;
  return {
    title: name,
    languages: category.translations.map((each) => each.language),
    content: element(
      'div',
      {},
      trail(...ancestors),
      element('h1', {}, name),
      children.length > 0 && subcategories(children),
      listing({ list: productSearch, selection, search }),
    ),
  };
};

type Child = NonNullable<CategoryQuery['category']>['children'][number];

const subcategories = (children: readonly Child[]): HTMLElement => {
  const links = children.map(({ id, name, productCount }) =>
    element(
      'li',
      {},
      element(
        'a',
        { href: categoryPath(id), class: 'chip plain' },
        name,
        element('span', { class: 'soft' }, ` ${count(productCount)}`),
      ),
    ),
  );
  const [few, more] = [links.slice(0, FEW_CHILDREN), links.slice(FEW_CHILDREN)];
  return element(
    'nav',
    { class: 'subcategories', 'aria-label': say('Categories below') },
    element('ul', { class: 'chips' }, ...few),
    more.length > 0 &&
      element(
        'details',
        {},
        element('summary', {}, say('{n} more', { n: count(more.length) })),
        element('ul', { class: 'chips' }, ...more),
      ),
  );
};
