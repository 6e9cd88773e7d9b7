import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  isIntrospectionType,
  Kind,
  type OperationDefinitionNode,
  print,
  type VariableValues,
} from 'graphql';
import { MAX_IDS } from '../arguments.ts';
import { fieldsIn, type MergedField, objectTypesOf, type Parent, rootOf, type SelectedField } from '../selection.ts';
import { refuseExcess } from './document-size.ts';
import { assumedSizeOf, filterSizeOf, isObjectList, sizedFieldsOf, slicedSizeOf } from './list-size.ts';

export interface Cost {
  readonly total: number;
  /** The path of the list or lookup that costs most, with its items but without the lists in them; undefined for none. */
  readonly field: string | undefined;
  /** Of introspection, which reads no row and is limited separately. */
  readonly introspection: number;
}

/** In tenths. Reading a row from the database takes about as long as writing ten values. */
const ROW = 10;
const VALUE = 1;
/** The object has it under another name. */
const REPEATED_VALUE = 10;

/**
 * The cost of an operation is the number of rows that it asks for, and a tenth of each other value in its result:
 *
 * - 1 for each item of a list of objects, as many as its argument or its declaration allows (list-size.ts);
 * - 1 for an object that a field of the root type looks up;
 * - 0.1 for each other value: a scalar, an object that belongs to a row, an item of a list to filter by;
 * - as much more as a field says (`extensions: { extraCost: 10 }`) whose value takes more reading than its size tells: a search, a count;
 * - but 1 for a value that the object already has under another name: a long text repeated a hundred times is a hundred times as long.
 *
 * Lists in lists multiply. Selections that merge count once; a field that @skip or @include removes does not count. An object of an interface or a
 * union counts as if it had the fields of each type that it may be.
 * @param variables undefined: the most that any variables could make it cost
 * @param openItems how many items a list to filter by then has whose value is a variable
 */
export const costOf = (
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables?: VariableValues,
  openItems = MAX_IDS,
): Cost => {
  const rootType = schema.getRootType(definition.operation) as GraphQLObjectType;
  const fieldsOf = fieldsIn(document, schema);
  const sum = { rows: 0, introspection: 0 };
  const dearest = { tenths: 0, path: undefined as string | undefined };

  /**
   * Adds the rows of what is selected from so many objects, and of what is below.
   * @param types those that the objects may have
   * @param sizedByParent the lengths of lists that an argument of the parent says, by name
   * @returns the cost that belongs to the objects, in tenths
   */
  const below = (
    types: readonly GraphQLObjectType[],
    parents: readonly Parent[],
    times: number,
    parentPath = '',
    sizedByParent: ReadonlyMap<string, number> = new Map(),
  ): number => {
    const names = new Set<string>();
    let values = 0;
    for (const [key, selections] of byCall(fieldsOf(parents, types))) {
      const name = selections[0].node.name.value;
      const weight = names.has(name) ? REPEATED_VALUE : VALUE;
      names.add(name);
      if (variables && !isIncluded(selections, variables)) continue;
      const tenths = costOfField(selections, times, parentPath + key, weight, sizedByParent.get(name));
      if (parentPath === '' && name.startsWith('__') && name !== '__typename') sum.introspection += tenths;
      else values += tenths;
    }
    return values;
  };

  const costOfField = (
    selections: MergedField,
    times: number,
    path: string,
    valueWeight: number,
    sizeByParent: number | undefined,
  ): number => {
    const [{ node }] = selections;
    const owners = new Set(selections.flatMap((selection) => selection.types));
    const fields = [...owners].flatMap((type) => schema.getField(type, node.name.value) ?? []);
    // Types that share a field declare its length and its arguments alike: where they do not, that of the longest list counts.
    const [field] = fields.sort((one, other) => assumedSizeOf(other) - assumedSizeOf(one));
    if (!field) return 0;
    const types = [...new Set(fields.flatMap(({ type }) => objectTypesOf(schema, type)))];
    const isList = isObjectList(field);
    const isRow = types.some((type) => !isIntrospectionType(type)) && (isList || owners.has(rootType));
    const sliced = slicedSizeOf(field, node, variables);
    const count = isList ? times * (sliced ?? sizeByParent ?? assumedSizeOf(field)) : times;
    const sized = new Map(sliced === undefined ? [] : sizedFieldsOf(field).map((each) => [each, sliced]));
    const extra = extraCostOf(field) * ROW + filterSizeOf(field, node, variables, openItems);
    const tenths =
      count * (isRow ? ROW : valueWeight) + times * extra + below(types, selections, count, `${path}.`, sized);
    // The cost of any other field belongs to its parent.
    if (!isRow) return tenths;
    sum.rows += tenths;
    if (tenths > dearest.tenths) Object.assign(dearest, { tenths, path });
    return 0;
  };

  const values = below([rootType], rootOf(definition), 1);
  return { total: (sum.rows + values) / 10, field: dearest.path, introspection: sum.introspection / 10 };
};

/** In rows. */
const extraCostOf = ({ extensions }: GraphQLField<unknown, unknown>): number =>
  (extensions.extraCost as number | undefined) ?? 0;

/** Of an interface or a union, types may have another field or other arguments under one key: these are different fields. */
const byCall = (fields: ReadonlyMap<string, MergedField>): [key: string, MergedField][] =>
  [...fields].flatMap(([key, selections]): [string, MergedField][] => {
    if (selections.length === 1) return [[key, selections]];
    const calls = Map.groupBy(selections, ({ node }) => `${node.name.value}(${node.arguments?.map(print).join()})`);
    return [...calls.values()].map((same) => [key, same as [SelectedField, ...SelectedField[]]]);
  });

/** Whether the field is in the result: where all conditions of any selection hold. */
const isIncluded = (selections: MergedField, variables: VariableValues): boolean =>
  selections.some(({ conditions }) => conditions.every((each) => holds(each, variables)));

const holds = ({ name, arguments: args }: DirectiveNode, { coerced }: VariableValues): boolean => {
  const condition = args?.[0]?.value;
  const value =
    condition?.kind === Kind.VARIABLE
      ? coerced[condition.name.value]
      : condition?.kind === Kind.BOOLEAN && condition.value;
  return name.value === GraphQLIncludeDirective.name ? value === true : value !== true;
};

/** Twice what an introspection of the whole schema costs, with every detail: 35,703, because the length of each list is assumed. */
const MAX_INTROSPECTION = 75_000;

export const isWithin = ({ total, introspection }: Cost, maximum: number): boolean =>
  total <= maximum && introspection <= MAX_INTROSPECTION;

/** @throws AppError QUERY_TOO_COMPLEX */
export const checkCost = ({ total, field, introspection }: Cost, maximum: number): void => {
  refuseExcess('units of cost for the schema', {
    limit: 'introspection',
    actual: Math.ceil(introspection),
    maximum: MAX_INTROSPECTION,
  });
  const actual = Math.min(Math.ceil(total), Number.MAX_SAFE_INTEGER);
  refuseExcess('units of cost', { limit: 'QUERY_MAX_COST', actual, maximum, field });
};
