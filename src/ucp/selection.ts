/** An option as a shopper selects it. */
export interface Selected {
  readonly name: string;
  readonly label: string;
}

/** A variant, as far as it can be selected. */
export interface Selectable {
  readonly options: readonly Selected[];
  readonly inStock: boolean;
}

const fits = ({ options }: Selectable, selected: readonly Selected[]): boolean =>
  selected.every(({ name, label }) => options.some((option) => option.name === name && option.label === label));

/**
 * Gives up options of a selection until a variant has all that are left: first those that are not preferred, the last one first, then from
 * the end of the preferences: https://ucp.dev/2026-08-25/specification/shopping/catalog/lookup#option-selection
 * @param preferences names of options, the dearest first
 */
export const relax = (
  variants: readonly Selectable[],
  selected: readonly Selected[],
  preferences: readonly string[],
): readonly Selected[] => {
  const rankOf = ({ name }: Selected): number =>
    preferences.includes(name) ? preferences.indexOf(name) : preferences.length;
  const dearestFirst = selected.toSorted((a, b) => rankOf(a) - rankOf(b));
  const kept = new Set(dearestFirst);
  for (const dropped of dearestFirst.toReversed()) {
    if (variants.some((variant) => fits(variant, [...kept]))) break;
    kept.delete(dropped);
  }
  return selected.filter((each) => kept.has(each));
};

/** The variants that have all of a selection, in their order. */
export const selectedOf = <Variant extends Selectable>(
  variants: readonly Variant[],
  selected: readonly Selected[],
): Variant[] => variants.filter((variant) => fits(variant, selected));

/** The values of an option: beside the selection of the others, whether a variant with it exists, and is available. */
export const valuesBeside = (
  variants: readonly Selectable[],
  selected: readonly Selected[],
  { name, values }: { readonly name: string; readonly values: readonly string[] },
): readonly (Pick<Selected, 'label'> & { readonly available: boolean; readonly exists: boolean })[] => {
  const others = selectedOf(
    variants,
    selected.filter((each) => each.name !== name),
  );
  return values.map((label) => {
    const having = selectedOf(others, [{ name, label }]);
    return { label, available: having.some(({ inStock }) => inStock), exists: having.length > 0 };
  });
};
