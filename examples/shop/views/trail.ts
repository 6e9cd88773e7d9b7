import { element } from '../elements.ts';
import { BASE, say } from '../language.ts';
import { categoryPath } from '../view.ts';

type Step = { readonly id: number; readonly name: string } | null | undefined;

/** The way from the start page to here, through categories. */
export const trail = (...steps: readonly Step[]): HTMLElement => {
  const links = steps.flatMap((step) => (step ? [element('a', { href: categoryPath(step.id) }, step.name)] : []));
  return element(
    'nav',
    { class: 'trail', 'aria-label': say('Breadcrumbs') },
    element('ol', {}, ...[element('a', { href: BASE }, say('Shop')), ...links].map((link) => element('li', {}, link))),
  );
};
