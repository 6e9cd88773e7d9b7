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
import {
  collectFields,
  fragmentsOf,
  type MergedField,
  objectTypesOf,
  type Parent,
  rootOf,
  type SelectedField,
} from '../selection.ts';
import { refuseExcess } from './document-size.ts';
import {
  assumedSizeOf,
  filterSizeReader,
  isObjectList,
  type SizeReader,
  sizedFieldsOf,
  slicedSizeReader,
} from './list-size.ts';

export interface Cost {
  readonly total: number;
  /** The path of the list or lookup that costs most, with its items but without the lists in them; undefined for none. */
  readonly field: string | undefined;
}

/** What an operation costs, calculated as far as possible without variables. */
export interface CostPlan {
  /** @param variables undefined: the most that any variables could make it cost */
  readonly measure: (variables?: VariableValues) => Cost;
  /** Of introspection, which reads no row and is limited separately. */
  readonly introspection: number;
}

/** In tenths. Reading a row from the database takes about as long as writing ten values. */
const ROW = 10;
const VALUE = 1;

/** What one operation costs with some variables, as far as it is added up. */
class Tally {
  readonly variables: VariableValues | undefined;
  tenths = 0;
  field: string | undefined;
  #most = 0;

  constructor(variables: VariableValues | undefined) {
    this.variables = variables;
  }

  add(tenths: number, path: string): void {
    this.tenths += tenths;
    if (tenths <= this.#most) return;
    this.#most = tenths;
    this.field = path;
  }
}

/** Adds the rows of a field and of what is below it, for so many parent objects. @returns the cost that belongs to these, in tenths */
type Measure = (tally: Tally, times: number) => number;

const ONE: SizeReader = () => 1;

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
 */
export const planCost = (
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
): CostPlan => {
  const rootType = schema.getRootType(definition.operation);
  if (!rootType) throw new Error(`the schema has no type for a ${definition.operation}`);
  const fragments = fragmentsOf(document);

  /**
   * @param types those that the parent may have
   * @param sizedByParent the readers of lists whose length an argument of the parent says, by name
   */
  const measuresOf = (
    types: readonly GraphQLObjectType[],
    parents: readonly Parent[],
    parentPath = '',
    sizedByParent: ReadonlyMap<string, SizeReader> = new Map(),
  ): [name: string, Measure][] => {
    const names = new Set<string>();
    return byCall(collectFields(parents, fragments, { schema, types })).flatMap(([key, selections]) => {
      const [{ node }] = selections;
      const name = node.name.value;
      const owners = new Set(selections.flatMap((selection) => selection.types));
      const fields = [...owners].flatMap((type) => schema.getField(type, name) ?? []);
      // Types that share a field declare its length and its arguments alike: where they do not, that of the longest list counts.
      const [field] = fields.sort((one, other) => assumedSizeOf(other) - assumedSizeOf(one));
      if (!field) return [];
      const isRepeated = names.has(name);
      names.add(name);
      const path = parentPath + key;
      const typesBelow = [...new Set(fields.flatMap(({ type }) => objectTypesOf(schema, type)))];
      const isData = typesBelow.some((type) => !isIntrospectionType(type));
      const isRow = isData && (isObjectList(field) || owners.has(rootType));
      const sliced = slicedSizeReader(field, node);
      const sizeOf = isObjectList(field) ? (sliced ?? sizedByParent.get(name) ?? (() => assumedSizeOf(field))) : ONE;
      const filterSizeOf = filterSizeReader(field, node);
      const sized = new Map(sliced ? sizedFieldsOf(field).map((each) => [each, sliced]) : []);
      const weight = isRow || isRepeated ? ROW : VALUE;
      const extra = extraCostOf(field) * ROW;
      const below = measuresOf(typesBelow, selections, `${path}.`, sized);
      const measure: Measure = (tally, times) => {
        const { variables } = tally;
        if (variables && !isIncluded(selections, variables)) return 0;
        const count = times * sizeOf(variables);
        let tenths = count * weight + times * (extra + filterSizeOf(variables));
        for (const [, measureBelow] of below) tenths += measureBelow(tally, count);
        // The cost of any other field belongs to its parent.
        if (!isRow) return tenths;
        tally.add(tenths, path);
        return 0;
      };
      return [[name, measure]];
    });
  };

  const { introspection = [], data = [] } = Object.groupBy(measuresOf([rootType], rootOf(definition)), ([name]) =>
    name.startsWith('__') && name !== '__typename' ? 'introspection' : 'data',
  );
  return { measure: (variables) => sumUp(data, variables), introspection: sumUp(introspection).total };
};

const sumUp = (roots: readonly [name: string, Measure][], variables?: VariableValues): Cost => {
  const tally = new Tally(variables);
  const values = roots.reduce((sum, [, measure]) => sum + measure(tally, 1), 0);
  return { total: (tally.tenths + values) / 10, field: tally.field };
};

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

/** @param variables undefined: the most that any variables could make it cost. @throws AppError QUERY_TOO_COMPLEX */
export const checkCost = (plan: CostPlan, maximum: number, variables?: VariableValues): void => {
  const introspection = Math.ceil(plan.introspection);
  refuseExcess('units of cost for the schema', {
    limit: 'introspection',
    actual: introspection,
    maximum: MAX_INTROSPECTION,
  });
  const { total, field } = plan.measure(variables);
  const actual = Math.min(Math.ceil(total), Number.MAX_SAFE_INTEGER);
  refuseExcess('units of cost', { limit: 'QUERY_MAX_COST', actual, maximum, field });
};
