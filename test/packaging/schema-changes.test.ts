import { describe, expect, test } from 'vitest';
import { undeclaredBreaks } from '../../packaging/schema-changes.ts';

const RELEASED = `
type Query { product(id: Int!): Product more(order: Order): [Product!]! find(by: By!): Product }
input By { id: Int sku: String }
type Product { name: String! brand: String sales: Int! price: Money! }
type Money { amount: String! }
enum Order { NEWEST PRICE_ASC }
`;

const changelog = (unreleased: string): string => `# Changelog

## [Unreleased]

${unreleased}

## [0.1.0]

### Breaking

- \`Product.sales\` is gone.
`;

const NOTHING_SAID = changelog('### Added\n\n- A field.');

test.for<[what: string, from: string, to: string, change: string]>([
  ['a field is removed', 'sales: Int!', '', 'Field Product.sales was removed.'],
  ['an answer may be null', 'name: String!', 'name: String', 'Field Product.name changed type from String! to String.'],
  ['an argument is removed', '(id: Int!)', '', 'Argument Query.product(id:) was removed.'],
  ['an argument is required', '(id: Int!)', '(id: Int!, x: Int!)', 'A required argument Query.product(x:) was added.'],
  ['a value of an enum is removed', 'PRICE_ASC', '', 'Enum value Order.PRICE_ASC was removed.'],
  ['a type is removed', 'price: Money! }\ntype Money { amount: String! }', '}', 'Money was removed.'],
  ['an input takes exactly one of its fields', 'input By', 'input By @oneOf', 'By changed to @oneOf.'],
])('where %s, the check of the project fails, unless the changelog names it', ([, from, to, change]) => {
  const current = RELEASED.replace(from, to);
  expect(undeclaredBreaks(RELEASED, current, NOTHING_SAID)).toContain(change);
  const [coordinate] = /[A-Z]\w*\.\w+(\(\w+:\))?|^Money|^By/.exec(change) ?? [];
  const declared = undeclaredBreaks(RELEASED, current, changelog(`### Breaking\n\n- \`${coordinate}\` is another.`));
  expect(declared).not.toContain(change);
});

describe('several breaking changes are let through', () => {
  const current = RELEASED.replace('sales: Int!', '').replace('brand: String', '');

  test('where the unreleased part of the changelog names all that changed', () => {
    const both = changelog('### Breaking\n\n- `Product.sales` and `Product.brand` are gone.\n\n### Added');
    expect(undeclaredBreaks(RELEASED, current, both)).toEqual([]);
    const one = changelog('### Breaking\n\n- `Product.sales` is gone.\n\n### Added\n\n- `Product.brand`, perhaps.');
    expect(undeclaredBreaks(RELEASED, current, one)).toEqual(['Field Product.brand was removed.']);
  });

  test('but not because of what an earlier release said', () => {
    expect(undeclaredBreaks(RELEASED, current, NOTHING_SAID)).toHaveLength(2);
  });
});

test('a field more breaks nobody', () => {
  const more = RELEASED.replace('type Query {', 'type Query { less(x: Int): Product');
  expect(undeclaredBreaks(RELEASED, more, NOTHING_SAID)).toEqual([]);
});
