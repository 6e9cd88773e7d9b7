import fc from 'fast-check';
import {
  type DocumentNode,
  type GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { createValidation } from '../../src/graphql/validation.ts';
import { mutations } from '../support/mutation.ts';
import { randomQuery } from '../support/random-query.ts';
import { words } from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';

const MAX_ERRORS = 3;

const rules = [...specifiedRules, NoSchemaIntrospectionCustomRule];
const options = { maxErrors: MAX_ERRORS, hideSuggestions: false };
const ours = createValidation({ schema, rules, ...options });

const shown = (errors: readonly GraphQLError[]) => errors.map((error) => error.toJSON());

const expectSame = (document: DocumentNode, text: string): number => {
  const expected = validate(schema, document, rules, options);
  expect(shown(ours(document)), text).toEqual(shown(expected));
  return expected.length;
};

/** At least one for each rule, and what makes rules skip, give up or begin again. */
const FAULTS: readonly string[] = [
  '{ none }',
  '{ hotProducts { nam slu bran pric stoc } }',
  '{ hotProducts }',
  '{ hotProducts { name { first } } }',
  '{ __schema { types { name } } }',
  '{ a: __type(name: "A") { fields { type { fields { type { fields { type { fields { name } } } } } } } } }',
  '{ product { id } }',
  '{ product(id: 1, id: 2, ids: 3) { id } }',
  '{ product(id: 1, id: 1) { id } }',
  '{ ...None }',
  '{ hotProducts { x: name x: slug } }',
  '{ products(orderBy: NEWESTT, limit: "1", categoryIds: [1, "x", { a: 1 }]) { id } }',
  '{ productSearch(filter: { brands: [1], brands: [], none: 2 }) { totalCount } }',
  '{ productSearch(filter: { minPrice: $price }) { totalCount } }',
  'query ($id: Int, $id: Int, $unused: [Product!], $none: None) { product(id: $id) { id } }',
  'query A($id: Int!) { product(id: $id) { ...F } } query A { notices { id } } fragment F on Product { category(id: $x) { id } }',
  '{ notices { id } } query B { notices { id } }',
  'query @skip @none @include(if: 1) { notices @skip(if: true) @skip(if: false) { id } }',
  '{ notices @defer @stream { id } ... @defer(label: $label) { notices { id } } }',
  'subscription { notices { id } product(id: 1) { id } }',
  'subscription { ... @include(if: true) { notices { id } } }',
  'mutation { buy }',
  '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }',
  '{ ...F } fragment F on Product { id } fragment Unused on Int { id }',
  '{ notices { ... on Product { id } ...None } } fragment F on Query { notices { id } } fragment F on Query { notices { id } }',
  '{ a: notices { id } a: hotProducts { id } b: product(id: 1) { id } b: product(id: 2) { id } }',
  '{ hotProducts { x: name x: slug ... { x: brand } } }',
  '"described" query ("also $this" $id: Int = "x") { product(id: $id) { id } }',
  'type Extra { a: Int } { notices { id } }',
  'extend type Query @skip(if: true) { a: Int }',
  'directive @skip on FIELD { notices @skip { id } }',
];

test.for(FAULTS)('%s is refused for the reasons that graphql-js gives', (text) => {
  expect(expectSame(parse(text), text)).toBeGreaterThan(0);
  // Then nobody can tell what is in its text.
  expect(expectSame(parse(text, { noLocation: true }), text)).toBeGreaterThan(0);
});

test('any document that the schema allows, or nearly does, has the errors that graphql-js finds', () => {
  const pieces = words('{ } $a $none : [Int!] @skip(if:true) @none ...F0 fragment name -1 "x" null id products');
  let refused = 0;
  fc.assert(
    fc.property(fc.gen(), mutations(pieces), fc.boolean(), (g, mutate, isMutated) => {
      const { text } = randomQuery(schema, g, { faults: 10 });
      const given = isMutated ? mutate(text) : text.replace(/\bname\b/, 'nam').replace(/: \d+/, ': "x"');
      let document: DocumentNode;
      try {
        document = parse(given);
      } catch {
        return;
      }
      if (expectSame(document, given) > 0) refused += 1;
    }),
    { numRuns: 100 },
  );
  expect(refused).toBeGreaterThan(0);
});

test('suggestions are left out where they are hidden', () => {
  const hidden = createValidation({ schema, rules, maxErrors: MAX_ERRORS, hideSuggestions: true });
  const document = parse('{ hotProduct { id } }');
  expect(ours(document)[0]?.message).toContain('Did you mean');
  expect(hidden(document)[0]?.message).not.toContain('Did you mean');
});
