import { element } from '../elements.ts';
import { BASE, categoryPath } from '../view.ts';

type Step = { readonly id: number; readonly name: string } | null | undefined;

/** The way from the start page to here, through categories. */
export const trail = (...steps: readonly Step[]): HTMLElement => {
  const links = steps.flatMap((step) => (step ? [element('a', { href: categoryPath(step.id) }, step.name)] : []));
  return element(
    'nav',
    { class: 'trail', 'aria-label': 'Breadcrumbs' },
    element('ol', {}, ...[element('a', { href: BASE }, 'Shop'), ...links].map((link) => element('li', {}, link))),
  );
};
