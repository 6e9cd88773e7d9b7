import { element } from '../elements.ts';
import { say } from '../language.ts';
import type { ProductOfferFragment, VariantFragment } from '../operations.ts';
import { OPTION } from '../view.ts';

type Product = Pick<ProductOfferFragment, 'options' | 'variants'>;
type Variants = readonly VariantFragment[];

/** What a variant is called outside of the page of its product. */
export const variantName = (product: string, { title, selectedOptions }: VariantFragment): string =>
  selectedOptions.length === 0 ? product : `${product}, ${title}`;

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

/**
 * What is wanted, or where the product is not made so, its nearest variant with the value that was picked last, of the option at `place`: the
 * fewest other values, then one that is in stock, then values that stand next to the wanted ones.
 */
export const nearestChoice = ({ options, variants }: Product, wanted: Choice, place: number): Choice => {
  const candidates = variants
    .filter(({ selectedOptions }) => selectedOptions[place]?.value === wanted[place]?.value)
    .map(({ selectedOptions, inStock }) => {
      const steps = options.map(({ values }, at) =>
        Math.abs(values.indexOf(selectedOptions[at]?.value ?? '') - values.indexOf(wanted[at]?.value ?? '')),
      );
      return {
        selectedOptions,
        changes: steps.filter((count) => count > 0).length,
        missing: inStock ? 0 : 1,
        distance: steps.reduce((sum, count) => sum + count, 0),
      };
    })
    .sort((a, b) => a.changes - b.changes || a.missing - b.missing || a.distance - b.distance);
  return candidates[0]?.selectedOptions ?? wanted;
};

export interface Picker {
  readonly content: HTMLElement;
  /** Shows what is chosen, and marks what cannot be bought with it. */
  readonly mark: (variants: Variants, choice: Choice) => void;
}

/**
 * A group of radio buttons for each option. What is sold out, or not made with what else is chosen, can be picked all the same.
 * @param choose is given what is wanted then, and the place of the option that was picked
 */
export const picker = ({ options }: Product, choose: (wanted: Choice, place: number) => void): Picker => {
  const groups = options.map(({ name, label: title, values, valueLabels }) => {
    const buttons = values.map((value, place) => {
      const input = element('input', { type: 'radio', name: OPTION + name, value });
      const state = element('span', { class: 'visually-hidden' });
      return {
        value,
        input,
        state,
        label: element('label', {}, input, element('span', {}, valueLabels[place]), state),
      };
    });
    return { name, title, buttons };
  });
  const form = element(
    'form',
    { class: 'picker', 'aria-label': say('Choose') },
    ...groups.map(({ title, buttons }) =>
      element('fieldset', {}, element('legend', {}, title), ...buttons.map(({ label }) => label)),
    ),
  );
  form.addEventListener('change', ({ target }) => {
    const wanted = groups.map(({ name, buttons }) => ({
      name,
      value: buttons.find(({ input }) => input.checked)?.value ?? '',
    }));
    choose(
      wanted,
      groups.findIndex(({ buttons }) => buttons.some(({ input }) => input === target)),
    );
  });

  return {
    content: form,
    mark: (variants, choice) => {
      for (const [place, { name, buttons }] of groups.entries()) {
        for (const { value, input, label, state } of buttons) {
          input.checked = choice[place]?.value === value;
          const variant = chosenVariant(variants, choice.with(place, { name, value }));
          label.className = variant ? (variant.inStock ? '' : 'none-left') : 'not-made';
          state.textContent = variant ? (variant.inStock ? '' : say('sold out')) : say('not made so');
        }
      }
    },
  };
};
