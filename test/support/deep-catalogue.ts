import type { GeneratorValue } from 'fast-check';
import type {
  AttributeFilter,
  BrowseRequest,
  BrowseResult,
  OptionFilter,
  SearchFilter,
  ValueFacets,
} from '../../src/browse/browse-engine.ts';
import { compareCodePoints } from '../../src/browse/order.ts';
import type { TestDatabase } from './database.ts';

// Attributes, variants and codes for products at random, and what filters and facets say of them, one product at a time.

const ATTRIBUTES = [
  '{}',
  '{"Material": "Wool"}',
  '{"Material": ["Wool", "Cotton", "Wool"], "Power": 800}',
  '{"Material": [], "Power": 1.50, "Vegan": true}',
  '{"Material": "wool", "Power": 1.5, "Vegan": false}',
  '{"Power": -3, "Mixed": "800"}',
  '{"Power": 1e3, "Mixed": ["800", "茶", ""], "Vegan": "true"}',
  '{"Power": 0.00000001, "Mixed": 800, "Größe": 38.0}',
  '{"Größe": 12345678901234567890, "Power": 0.12345678901234567891}',
  '{"Größe": 40, "Mixed": "[\\"800\\"]"}',
  '{"Größe": 39.25, "\\"q\\\\": "𠀀", "Mixed": true}',
];
const OPTION_NAMES = ['{}', '{}', '{Size}', '{Size,Colour}', '{Colour,Size}', '{Colour,Größe,Size}'];
const VALUES = ['S', 'M', 'L', '38', 'Red', 'Ärla', '茶'];

export const CODES = [
  'sku-3',
  'SKU-12 ',
  'v-5-1',
  'V-7-2',
  '4001',
  '4002',
  'kettle',
  'Größe',
  'GROSSE',
  '?!',
  '---',
  'tea',
];

const textList = (values: readonly string[]): string => `array[${values.map((value) => `'${value}'`)}]`;
const one = (values: readonly string[], n: string): string =>
  `(${textList(values)})[1 + abs(hashint4(${n})) % ${values.length}]`;

/** The columns `attributes` of a product. @param n SQL, another number for each product */
export const attributesSql = (n: string): string => `${one(ATTRIBUTES, `${n} + 20`)}::jsonb`;

/** Gives some of the products that are there skus, options and up to four variants. */
export const addVariants = async ({ sql }: Pick<TestDatabase, 'sql'>): Promise<void> => {
  await sql(
    `update product set option_names = ${one(OPTION_NAMES, 'id + 21')}::text[], sku = case when id % 3 = 0 then 'Sku-' || id end`,
  );
  await sql(
    `insert into product_variant (product_id, sku, barcode, option_values, price, stock, position)
     select p.id, case when n < 3 then 'V-' || p.id || '-' || n end, (array['4001', '4002', '4003', '?!', 'KETTLE', 'grosse', null])[1 + abs(hashint4(p.id * 5 + n)) % 30],
       array(select ${one(VALUES, 'p.id * 50 + n * 7 + place::int')} from generate_subscripts(p.option_names, 1) place), p.price + n % 3, abs(hashint4(p.id + n)) % 3, n % 2
     from product p, generate_series(1, 4) n where p.option_names <> '{}' on conflict do nothing`,
  );
};

/** What a back office does with products of some ids, as SQL. */
export const deepChanges = (id: number, n: number): string[] => [
  `update product set attributes = ${attributesSql(`${n}`)} where id = ${id}`,
  `update product set option_names = array(select name from unnest(option_names) name order by name desc) where id between ${id} and ${id + 3}`,
  `update product_variant set stock = ${n % 2} where product_id between ${id} and ${id + 3}`,
  `update product_variant set option_values[1] = 'new ' || id, barcode = '${n % 3 ? 4001 : 'lamp'}' where product_id = ${id}`,
  `delete from product_variant where product_id = ${id} and position = ${n % 2}`,
];

const pickFrom =
  (g: GeneratorValue, pick: (g: GeneratorValue, max: number) => number) =>
  <Value>(values: readonly Value[]): Value =>
    values[pick(g, values.length - 1)] as Value;

/** Filters of attributes and options; mostly none. @param nat a number up to another one */
export const randomDeepFilter = (
  g: GeneratorValue,
  nat: (g: GeneratorValue, max: number) => number,
): Pick<SearchFilter, 'attributes' | 'options'> => {
  const pick = pickFrom(g, nat);
  const some = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make);
  const attribute = (): AttributeFilter => {
    const values = some(pick([1, 2, 3]), () =>
      pick([
        'Wool',
        'Cotton',
        'wool',
        '800',
        '1.5',
        '1.50',
        '-3',
        'true',
        'false',
        '茶',
        '',
        '0.00000001',
        '1e-8',
        '["800"]',
        '38',
        '1e3',
        '1000',
        '12345678901234567000',
        '12345678901234567890',
        '\0',
      ]),
    );
    const bounds = {
      ...(pick([0, 1]) && { min: pick(['-3', '1.5', '39', '12345678901234568000']) }),
      ...(pick([0, 1]) && { max: pick(['1.5', '800', '39.25']) }),
    };
    return {
      name: pick(['Material', 'Power', 'Power', 'Vegan', 'Mixed', 'Größe', '"q\\', 'none', '\ud800']),
      ...pick([{ values }, { values, ...bounds }, { min: '0', ...bounds }]),
    };
  };
  const option = (): OptionFilter => ({
    name: pick(['Size', 'Size', 'Colour', 'Größe', 'none']),
    values: some(pick([1, 2, 4]), () => pick([...VALUES, 'none', '\0'])),
  });
  return {
    ...(pick([0, 0, 1]) && { attributes: some(pick([1, 1, 2, 3]), attribute) }),
    ...(pick([0, 0, 1]) && { options: some(pick([1, 1, 2]), option) }),
  };
};

interface DeepVariant {
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly values: readonly string[];
  readonly stock: number;
}

interface DeepProduct {
  readonly id: number;
  readonly sku: string | null;
  readonly stock: number;
  readonly names: readonly string[];
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly variants: readonly DeepVariant[];
}

/** The products that are visible at a time. */
export const readDeepProducts = ({ sql }: Pick<TestDatabase, 'sql'>, now: Date): Promise<DeepProduct[]> =>
  sql<DeepProduct>(
    `select id, sku, stock, option_names as names, attributes,
       (select coalesce(json_agg(json_build_object('sku', v.sku, 'barcode', v.barcode, 'values', v.option_values, 'stock', v.stock)), '[]')
        from product_variant v where v.product_id = p.id) as variants
     from product p where status = 'ON_SALE' and published_at <= $1`,
    [now],
  );

/** What a search without words gives, of filters of attributes, options and stock, and of a code. */
export const expectedOf = (products: readonly DeepProduct[], { filter, code }: BrowseRequest) => {
  const { attributes = [], options = [], inStock } = filter;
  const isFound = ({ sku, variants }: DeepProduct): boolean =>
    code === undefined ||
    [sku, ...variants.flatMap((each) => [each.sku, each.barcode])].some((each) => sameCode(each, code));
  const fitsStock = ({ stock }: DeepProduct): boolean => inStock === undefined || stock > 0 === inStock;
  const hasAttributes = (product: DeepProduct, but?: string): boolean =>
    attributes.every((each) => each.name === but || hasAttribute(product, each));
  const variantsOf = (product: DeepProduct, isInStock: boolean, but?: string): readonly DeepVariant[] =>
    product.variants.filter(
      (variant) =>
        (!isInStock || variant.stock > 0) &&
        options.every(
          ({ name, values }) => name === but || values.includes(optionOf(product, variant, name) ?? '\0none'),
        ),
    );
  const hasOptions = (product: DeepProduct, isInStock = inStock === true): boolean =>
    options.length === 0 || variantsOf(product, isInStock).length > 0;

  const found = products.filter(isFound);
  const fitting = found.filter((each) => fitsStock(each) && hasAttributes(each) && hasOptions(each));
  const namesOf = (from: readonly (readonly string[])[]): string[] => [...new Set(from.flat())];
  return {
    ids: fitting.map(({ id }) => id).sort((a, b) => a - b),
    inStock: found.filter((each) => each.stock > 0 && hasAttributes(each) && hasOptions(each, true)).length,
    attributes: byCount(
      namesOf(found.map((each) => Object.keys(each.attributes))).map((name) => {
        const counted = found.filter((each) => fitsStock(each) && hasAttributes(each, name) && hasOptions(each));
        const numbers = counted.flatMap((each) => each.attributes[name] ?? []);
        const areNumbers = numbers.every((value) => typeof value === 'number');
        return {
          ...countedValues(
            name,
            counted.map((each) => valuesOf(each.attributes[name])),
          ),
          ...(areNumbers &&
            numbers.length > 0 && { min: String(Math.min(...numbers)), max: String(Math.max(...numbers)) }),
        };
      }),
    ),
    options: byCount(
      namesOf(found.map(({ names }) => names)).map((name) => {
        const counted = found.filter((each) => fitsStock(each) && hasAttributes(each));
        return countedValues(
          name,
          counted.map((each) =>
            variantsOf(each, inStock === true, name).flatMap((variant) => optionOf(each, variant, name) ?? []),
          ),
        );
      }),
    ),
  } satisfies { ids: number[]; inStock: number; attributes: ValueFacets[]; options: ValueFacets[] };
};

/** The same of an answer. */
export const foundOf = ({ items, facets }: BrowseResult) => ({
  ids: items.map(({ id }) => id).sort((a, b) => a - b),
  inStock: facets.inStock,
  attributes: facets.attributes,
  options: facets.options,
});

const sameCode = (text: string | null, code: string): boolean =>
  text?.toLowerCase().replace('ö', 'o').replace('ß', 'ss') === code.toLowerCase();

const optionOf = ({ names }: DeepProduct, { values }: DeepVariant, name: string): string | undefined =>
  values[names.indexOf(name)];

const valuesOf = (value: DeepProduct['attributes'][string] | undefined): string[] => [value ?? []].flat().map(String);

const hasAttribute = ({ attributes }: DeepProduct, { name, values = [], min, max }: AttributeFilter): boolean => {
  const value = attributes[name];
  const isWithin =
    (min !== undefined || max !== undefined) &&
    typeof value === 'number' &&
    value >= Number(min ?? -Infinity) &&
    value <= Number(max ?? Infinity);
  return isWithin || valuesOf(value).some((each) => values.includes(each));
};

type Counted = ValueFacets & { readonly products: number };

/** @param lists the values of each product */
const countedValues = (name: string, lists: readonly (readonly string[])[]): Counted => {
  const counts = new Map<string, number>();
  for (const list of lists) for (const value of new Set(list)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
  return { name, values, products: lists.filter((list) => list.length > 0).length };
};

const byCount = (facets: readonly Counted[]): ValueFacets[] =>
  facets
    .filter(({ products }) => products > 0)
    .sort((a, b) => b.products - a.products || compareCodePoints(a.name, b.name))
    .map(({ products: _, ...facet }) => facet);
