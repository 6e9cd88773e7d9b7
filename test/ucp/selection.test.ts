import fc from 'fast-check';
import { expect, test } from 'vitest';
import { relax, type Selectable, type Selected, selectedOf, valuesBeside } from '../../src/ucp/selection.ts';

const variant = (colour: string, size: string, inStock = true): Selectable => ({
  options: [
    { name: 'Colour', label: colour },
    { name: 'Size', label: size },
  ],
  inStock,
});

const SHIRTS = [variant('Blue', 'S'), variant('Blue', 'M', false), variant('Red', 'M')];

const pick = (selected: Record<string, string>): Selected[] =>
  Object.entries(selected).map(([name, label]) => ({ name, label }));

test('a selection that a variant has is left as it is', () => {
  const selected = pick({ Size: 'M', Colour: 'Red' });
  expect(relax(SHIRTS, selected, ['Size'])).toEqual(selected);
});

test('of a selection that no variant has, the last preference is given up first', () => {
  const selected = pick({ Colour: 'Red', Size: 'S' });
  expect(relax(SHIRTS, selected, ['Colour', 'Size'])).toEqual(pick({ Colour: 'Red' }));
  expect(relax(SHIRTS, selected, ['Size', 'Colour'])).toEqual(pick({ Size: 'S' }));
});

test('an option that is not preferred is given up before those that are', () => {
  expect(relax(SHIRTS, pick({ Colour: 'Red', Size: 'S' }), ['Size'])).toEqual(pick({ Size: 'S' }));
});

test('a value says whether it exists and is in stock beside the other options', () => {
  const selected = pick({ Colour: 'Blue' });
  expect(valuesBeside(SHIRTS, selected, { name: 'Size', values: ['S', 'M', 'L'] })).toEqual([
    { label: 'S', available: true, exists: true },
    { label: 'M', available: false, exists: true },
    { label: 'L', available: false, exists: false },
  ]);
  expect(valuesBeside(SHIRTS, selected, { name: 'Colour', values: ['Blue', 'Red'] })).toEqual([
    { label: 'Blue', available: true, exists: true },
    { label: 'Red', available: true, exists: true },
  ]);
});

/** Tries each end of the list that can be given up, the shortest first. */
const relaxSlowly = (
  variants: readonly Selectable[],
  selected: readonly Selected[],
  preferences: readonly string[],
) => {
  const preferred = preferences.flatMap((name) => selected.filter((each) => each.name === name));
  const order = [...preferred, ...selected.filter(({ name }) => !preferences.includes(name))];
  for (let kept = order.length; kept >= 0; kept -= 1) {
    const rest = order.slice(0, kept);
    if (selectedOf(variants, rest).length > 0 || kept === 0) return selected.filter((each) => rest.includes(each));
  }
  return [];
};

test('the relaxation is that of a slow and obvious one', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd');
  const label = fc.constantFrom('1', '2', '3');
  const options = fc.uniqueArray(fc.record({ name, label }), { selector: (each) => each.name });
  const variants = fc.array(fc.record({ options, inStock: fc.boolean() }), { maxLength: 8 });
  fc.assert(
    fc.property(variants, options, fc.uniqueArray(name), (all, selected, preferences) => {
      expect(relax(all, selected, preferences)).toEqual(relaxSlowly(all, selected, preferences));
    }),
    { numRuns: 500 },
  );
});
