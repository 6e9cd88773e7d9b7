import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getOperationAST,
  isIntrospectionType,
  Kind,
  type OperationDefinitionNode,
  parse,
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
  isObjectList,
  itemsReader,
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

/** A field of an operation, all of its selections together. */
interface CostNode {
  readonly path: string;
  /** The field is in the result where all conditions of any selection hold. */
  readonly selections: MergedField;
  /** How many values it has for each of its parent objects. */
  readonly sizeOf: SizeReader;
  /** The items of the lists that it is filtered by. */
  readonly filterSize: SizeReader | undefined;
  /** The cost of each value, in tenths. */
  readonly weight: number;
  /** For each parent object, in tenths. */
  readonly extra: number;
  /** Whether it may be named as the field that costs most; the cost of any other belongs to its parent. */
  readonly isRow: boolean;
  readonly children: readonly CostNode[];
}

/** In rows. */
const extraCostOf = ({ extensions }: GraphQLField<unknown, unknown>): number =>
  (extensions.extraCost as number | undefined) ?? 0;

const ONE: SizeReader = () => 1;

const greatest = (readers: readonly SizeReader[]): SizeReader | undefined =>
  readers.length > 1 ? (variables) => Math.max(...readers.map((read) => read(variables))) : readers[0];

const sumOf =
  (readers: readonly SizeReader[]): SizeReader =>
  (variables) =>
    readers.reduce((sum, read) => sum + read(variables), 0);

/** Of an interface or a union, types may have another field or other arguments under one key: these are different fields. */
const byCall = (fields: ReadonlyMap<string, MergedField>): [key: string, MergedField][] =>
  [...fields].flatMap(([key, selections]): [string, MergedField][] => {
    if (selections.length === 1) return [[key, selections]];
    const calls = Map.groupBy(selections, ({ node }) => `${node.name.value}(${node.arguments?.map(print).join()})`);
    return [...calls.values()].map((same) => [key, same as [SelectedField, ...SelectedField[]]]);
  });

/** Always one value: its cost is part of the weight of its parent. */
const isPlain = ({ selections, sizeOf, filterSize, extra, isRow, children }: CostNode): boolean =>
  !isRow &&
  extra === 0 &&
  sizeOf === ONE &&
  !filterSize &&
  children.length === 0 &&
  selections.some(({ conditions }) => conditions.length === 0);

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
   * @param types those that the parent may have: the cost is at least that of each
   * @param sizedByParent for each field that the parent may come from, the readers of lists whose length an argument of it says, by name
   */
  const nodesOf = (
    types: readonly GraphQLObjectType[],
    parents: readonly Parent[],
    parentPath = '',
    sizedByParent: readonly ReadonlyMap<string, SizeReader>[] = [new Map()],
  ): CostNode[] => {
    const names = new Set<string>();
    return byCall(collectFields(parents, fragments, { schema, types })).flatMap(([key, selections]) => {
      const [{ node }] = selections;
      const name = node.name.value;
      const owners = new Set(selections.flatMap((selection) => selection.types));
      const fields = [...owners].flatMap((type) => schema.getField(type, name) ?? []);
      if (fields.length === 0) return [];
      const isRepeated = names.has(name);
      names.add(name);
      const path = parentPath + key;
      const typesBelow = [...new Set(fields.flatMap(({ type }) => objectTypesOf(schema, type)))];
      const isData = typesBelow.some((type) => !isIntrospectionType(type));
      const isRow = isData && (fields.some(isObjectList) || owners.has(rootType));
      const sizedHere = fields.map((field) => {
        const sliced = slicedSizeReader(field, node);
        return new Map(sliced ? sizedFieldsOf(field).map((each) => [each, sliced] as const) : []);
      });
      const sizes = fields.filter(isObjectList).flatMap((field) => {
        const sliced = slicedSizeReader(field, node);
        return sliced ?? sizedByParent.map((sized) => sized.get(name) ?? (() => assumedSizeOf(field)));
      });
      const filters = fields.map((field) => field.args.flatMap((argument) => itemsReader(argument, node) ?? []));
      const children = nodesOf(typesBelow, selections, `${path}.`, sizedHere);
      return {
        path,
        selections,
        sizeOf: greatest(sizes) ?? ONE,
        filterSize: greatest(filters.flatMap((readers) => (readers.length > 0 ? sumOf(readers) : []))),
        weight: children.filter(isPlain).reduce((sum, { weight }) => sum + weight, isRow || isRepeated ? ROW : VALUE),
        extra: Math.max(...fields.map(extraCostOf)) * ROW,
        isRow,
        children: children.filter((child) => !isPlain(child)),
      };
    });
  };

  const { introspection = [], data = [] } = Object.groupBy(
    nodesOf([rootType], rootOf(definition)),
    ({ selections }) => {
      const name = selections[0].node.name.value;
      return name.startsWith('__') && name !== '__typename' ? 'introspection' : 'data';
    },
  );
  return { measure: (variables) => measureCost(data, variables), introspection: measureCost(introspection).total };
};

const measureCost = (roots: readonly CostNode[], variables?: VariableValues): Cost => {
  let tenths = 0;
  let most = 0;
  let field: string | undefined;

  /** @returns the cost that belongs to the parent */
  const measure = (node: CostNode, times: number): number => {
    if (variables && !node.selections.some(({ conditions }) => conditions.every((each) => holds(each, variables)))) {
      return 0;
    }
    const count = times * node.sizeOf(variables);
    let sum = count * node.weight + times * node.extra;
    if (node.filterSize) sum += times * node.filterSize(variables);
    for (const child of node.children) sum += measure(child, count);
    if (!node.isRow) return sum;
    tenths += sum;
    if (sum > most) {
      most = sum;
      field = node.path;
    }
    return 0;
  };

  for (const root of roots) {
    const ownTenths = measure(root, 1); // Not within `+=`, which reads `tenths` before `measure` adds to it.
    tenths += ownTenths;
  }
  return { total: tenths / 10, field };
};

const holds = ({ name, arguments: args }: DirectiveNode, { coerced }: VariableValues): boolean => {
  const condition = args?.[0]?.value;
  const value =
    condition?.kind === Kind.VARIABLE
      ? coerced[condition.name.value]
      : condition?.kind === Kind.BOOLEAN && condition.value;
  return name.value === GraphQLIncludeDirective.name ? value === true : value !== true;
};

/** The value of `extensions.cost` in a response. */
export interface CostReport {
  readonly actual: number;
  readonly maximum: number;
  /** The path of the field that costs most. */
  readonly field?: string;
}

export type CostLimit = ReturnType<typeof createCostLimit>;

/** An introspection may cost this many times what GraphiQL's costs, however large the schema. */
const INTROSPECTION_ROOM = 2;

/** A field under a second name costs up to this much more. */
const ALIAS_ROOM = 1;

/** The whole schema in one query, with every detail. */
const INTROSPECTION_QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

export const createCostLimit = (schema: GraphQLSchema, maximum: number) => {
  const document = parse(INTROSPECTION_QUERY);
  const definition = getOperationAST(document);
  if (!definition) throw new Error('graphql has no introspection query');
  const wholeSchema = planCost(schema, document, definition).introspection + ALIAS_ROOM;
  const maxIntrospection = Math.ceil(wholeSchema * INTROSPECTION_ROOM);

  const toReport = ({ total, field }: Cost): CostReport => {
    const actual = Math.min(Math.ceil(total), Number.MAX_SAFE_INTEGER);
    return field === undefined ? { actual, maximum } : { actual, maximum, field };
  };

  return {
    report: (plan: CostPlan, variables: VariableValues): CostReport => toReport(plan.measure(variables)),
    /** @param variables undefined: the most that any variables could make it cost. @throws AppError QUERY_TOO_COMPLEX */
    check: (plan: CostPlan, variables?: VariableValues): void => {
      const introspection = {
        limit: 'introspection',
        actual: Math.ceil(plan.introspection),
        maximum: maxIntrospection,
      };
      refuseExcess('units of cost for the schema', introspection);
      const cost = toReport(plan.measure(variables));
      refuseExcess('units of cost', { limit: 'QUERY_MAX_COST', ...cost });
    },
  };
};
