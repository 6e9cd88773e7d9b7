import { element } from '../elements.ts';
import type { ProductQuery, VariantFragment } from '../operations.ts';
import { OPTION } from '../view.ts';

type Product = NonNullable<ProductQuery['product']>;
type Variants = readonly VariantFragment[];

/** A value for each option of a product, in its order. */
export type Choice = readonly { readonly name: string; readonly value: string }[];

/** What the address asks for; of what it leaves open, the first that there are any left of. */
export const readChoice = ({ options, variants }: Product, search: URLSearchParams): Choice => {
  const wanted = options.map(({ name, values }) => {
    const value = search.get(OPTION + name);
    return value !== null && values.includes(value) ? value : undefined;
  });
  const fitting = variants.filter(({ selectedOptions }) =>
    selectedOptions.every(({ value }, place) => (wanted[place] ?? value) === value),
  );
  const start = fitting.find(({ inStock }) => inStock) ?? fitting[0];
  return options.map(({ name, values }, place) => ({
    name,
    value: wanted[place] ?? start?.selectedOptions[place]?.value ?? values[0] ?? '',
  }));
};

/** @returns undefined where the product is not made so */
export const chosenVariant = (variants: Variants, choice: Choice): VariantFragment | undefined =>
  variants.find(({ selectedOptions }) =>
    selectedOptions.every(({ name, value }) => choice.some((each) => each.name === name && each.value === value)),
  );

interface Picker {
  readonly content: HTMLElement;
  /** Marks what cannot be bought as things stand. */
  readonly mark: (variants: Variants, choice: Choice) => void;
}

/**
 * A group of radio buttons for each option. What is sold out or not made can be chosen all the same: somebody who wants it learns so, and a
 * choice of two options never comes to a dead end.
 */
export const picker = ({ options }: Product, chosen: Choice, choose: (choice: Choice) => void): Picker => {
  const groups = options.map(({ name, values }, place) => {
    const buttons = values.map((value) => {
      const input = element('input', {
        type: 'radio',
        name: OPTION + name,
        value,
        checked: chosen[place]?.value === value,
      });
      const state = element('span', { class: 'visually-hidden' });
      return { value, input, state, label: element('label', {}, input, element('span', {}, value), state) };
    });
    return { name, buttons };
  });
  const form = element(
    'form',
    { class: 'picker', 'aria-label': 'Choose' },
    ...groups.map(({ name, buttons }) =>
      element('fieldset', {}, element('legend', {}, name), ...buttons.map(({ label }) => label)),
    ),
  );
  const read = (): Choice =>
    groups.map(({ name, buttons }) => ({ name, value: buttons.find(({ input }) => input.checked)?.value ?? '' }));
  form.addEventListener('change', () => choose(read()));

  return {
    content: form,
    mark: (variants, choice) => {
      for (const [place, { name, buttons }] of groups.entries()) {
        for (const { value, label, state } of buttons) {
          const variant = chosenVariant(variants, choice.with(place, { name, value }));
          label.className = variant ? (variant.inStock ? '' : 'none-left') : 'not-made';
          state.textContent = variant ? (variant.inStock ? '' : 'sold out') : 'not made so';
        }
      }
    },
  };
};
