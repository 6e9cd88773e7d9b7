import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isIntrospectionType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type VariableValues,
} from 'graphql';
import { fragmentsOf, type Selected, type Selection, selectedFields } from '../selection.ts';
import {
  type ArgumentReader,
  assumedSizeOf,
  introspectionSizes,
  isObjectList,
  listLengthReader,
  listSizeReader,
  sizedFieldsOf,
  slicingArgumentOf,
} from './list-size.ts';
import { readable, tooComplex } from './query-limits.ts';

export interface Cost {
  readonly total: number;
  /** The path of the list or lookup that costs most, with what its items hold but without the lists in them; undefined for none. */
  readonly field: string | undefined;
}

/** A field of an operation, all selections of it taken together. */
export interface CostNode {
  readonly path: string;
  /** The @skip and @include on the way to each selection of the field. It is answered where all of any one selection say so. */
  readonly conditions: readonly (readonly DirectiveNode[])[];
  /** How many values it has for each object that it is selected on. */
  readonly sizeOf: ArgumentReader;
  /** Values that it is given to filter by. */
  readonly filterReaders: readonly ArgumentReader[];
  /** Of each value, in tenths. */
  readonly weight: number;
  /** Whether it is told of as a field that costs; the cost of any other is part of the object that it is selected on. */
  readonly isCountedApart: boolean;
  readonly children: readonly CostNode[];
}

/** @param variables none: as much as any could make it */
const measureCost = (roots: readonly CostNode[], variables?: VariableValues): Cost => {
  let tenths = 0;
  let most = 0;
  let field: string | undefined;

  /** @returns what is the parent's to account for */
  const measure = (node: CostNode, times: number): number => {
    if (!isIncluded(node, variables)) return 0;
    const count = times * node.sizeOf(variables);
    let sum = count * node.weight;
    for (const read of node.filterReaders) sum += times * read(variables);
    for (const child of node.children) sum += measure(child, count);
    if (!node.isCountedApart) return sum;
    tenths += sum;
    if (sum > most) {
      most = sum;
      field = node.path;
    }
    return 0;
  };

  for (const root of roots) {
    const uncounted = measure(root, 1);
    tenths += uncounted;
  }
  return { total: tenths / 10, field };
};

const isIncluded = ({ conditions }: CostNode, variables: VariableValues | undefined): boolean =>
  variables === undefined ||
  conditions.some((directives) => directives.length === 0 || directives.every((each) => holds(each, variables)));

const holds = ({ name, arguments: args }: DirectiveNode, { coerced }: VariableValues): boolean => {
  const condition = args?.[0]?.value;
  const value =
    condition?.kind === Kind.VARIABLE
      ? coerced[condition.name.value]
      : condition?.kind === Kind.BOOLEAN && condition.value;
  return name.value === GraphQLIncludeDirective.name ? value === true : value !== true;
};

/** What an operation costs, worked out as far as it goes without variables. */
export interface CostPlan {
  /** @param variables none: as much as any could make it */
  readonly measure: (variables?: VariableValues) => Cost;
  /** Introspection reads no row; its cost, in values, is counted apart. */
  readonly introspection: number;
}

/** In tenths: a row from the database is worth ten values, which is about what it takes to read the one and to write the others. */
const ROW = 10;
const VALUE = 1;

const ONE: ArgumentReader = () => 1;

/** One value, always: part of the weight of the object that it belongs to. */
const isPlain = ({ conditions, sizeOf, filterReaders, isCountedApart, children }: CostNode): boolean =>
  !isCountedApart &&
  sizeOf === ONE &&
  filterReaders.length === 0 &&
  children.length === 0 &&
  conditions.some(({ length }) => length === 0);

/**
 * The cost of an operation is the number of rows that it asks for, and a tenth of each other value in its answer:
 *
 * - 1 for each item of a list of objects, of which there may be as many as its argument or its declaration says (list-size.ts);
 * - 1 for an object that a field of the query root looks up;
 * - 0.1 for each other value: a scalar, an object that belongs to a row, an id in a list to filter by;
 * - but 1 for a value that is there already under another name: a text of a row, a hundred times, is a hundred times as long.
 *
 * Lists in lists multiply. Selections that merge count once, and what @skip and @include take out does not count.
 */
export const planCost = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): CostPlan => {
  const queryType = schema.getQueryType();
  if (!queryType) throw new Error('the schema has no query type');
  const fragments = fragmentsOf(document);
  let sizesOfIntrospection: ReturnType<typeof introspectionSizes> | undefined;
  const introspectionSize = (field: string): number => {
    sizesOfIntrospection ??= introspectionSizes(schema);
    return sizesOfIntrospection(field);
  };

  const sizeReader = (
    field: GraphQLField<unknown, unknown>,
    sizedByParent: ArgumentReader | undefined,
  ): ArgumentReader => {
    if (!isObjectList(field)) return ONE;
    const size = isIntrospectionType(getNamedType(field.type)) ? introspectionSize(field.name) : assumedSizeOf(field);
    return sizedByParent ?? (() => size ?? 1);
  };

  const nodeOf = (
    { key, name, parent, node, isAgain, conditions, selections }: Selected,
    parentPath: string,
    sizesFromParent: ReadonlyMap<string, ArgumentReader>,
  ): CostNode[] => {
    const field = schema.getField(parent, name);
    if (!field) return [];
    const type = getNamedType(field.type);
    const path = parentPath + key;
    const slicing = slicingArgumentOf(field);
    const sliced = slicing && listSizeReader(slicing, node);
    const isRow = isCompositeType(type) && !isIntrospectionType(type) && (isObjectList(field) || parent === queryType);
    const sizesForChildren = new Map(sliced ? sizedFieldsOf(field).map((each) => [each, sliced] as const) : []);
    const children = isCompositeType(type) ? nodesOf(type, selections, `${path}.`, sizesForChildren) : [];
    return [
      {
        path,
        conditions,
        sizeOf: sizeReader(field, sliced ?? sizesFromParent.get(name)),
        filterReaders: field.args.flatMap((argument) => listLengthReader(argument, node) ?? []),
        weight: children.filter(isPlain).reduce((sum, { weight }) => sum + weight, isRow || isAgain ? ROW : VALUE),
        isCountedApart: isRow,
        children: children.filter((child) => !isPlain(child)),
      },
    ];
  };

  const nodesOf = (
    type: GraphQLCompositeType,
    selections: readonly Selection[],
    parentPath: string,
    sizesFromParent: ReadonlyMap<string, ArgumentReader>,
  ): CostNode[] =>
    selectedFields(schema, type, selections, fragments).flatMap((each) => nodeOf(each, parentPath, sizesFromParent));

  const roots = selectedFields(schema, queryType, [{ selectionSet, conditions: [] }], fragments);
  const { introspection = [], data = [] } = Object.groupBy(roots, ({ name }) =>
    name.startsWith('__') && name !== '__typename' ? 'introspection' : 'data',
  );
  const rootNodes = (selected: readonly Selected[]): CostNode[] =>
    selected.flatMap((each) => nodeOf(each, '', new Map()));
  const dataNodes = rootNodes(data);
  return {
    measure: (variables) => measureCost(dataNodes, variables),
    introspection: measureCost(rootNodes(introspection)).total,
  };
};

/** What `extensions.cost` of an answer says. */
export interface CostReport {
  readonly actual: number;
  readonly maximum: number;
  /** The path of the field that costs most. */
  readonly field?: string;
}

export interface CostLimit {
  /** @param variables none: as much as any could make it cost. @throws AppError QUERY_TOO_COMPLEX */
  readonly check: (plan: CostPlan, variables?: VariableValues) => void;
  readonly report: (plan: CostPlan, variables?: VariableValues) => CostReport;
}

/** Introspection may answer this many times what GraphiQL asks for, however large the schema. */
const INTROSPECTION_ROOM = 2;

/** A field under a second name costs up to this much more than under its own (cost-plan.ts). */
const ALIAS_ROOM = 1;

/** The whole schema in one query, with all that can be told of it. */
const INTROSPECTION_QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

export const createCostLimit = (schema: GraphQLSchema, maximum: number): CostLimit => {
  const introspection = parse(INTROSPECTION_QUERY);
  const operation = getOperationAST(introspection);
  if (!operation) throw new Error('graphql has no introspection query');
  const wholeSchema = planCost(schema, introspection, operation).introspection + ALIAS_ROOM;
  const maxIntrospection = Math.ceil(wholeSchema * INTROSPECTION_ROOM);

  const report: CostLimit['report'] = (plan, variables) => {
    const { total, field } = plan.measure(variables);
    const actual = Math.min(Math.ceil(total), Number.MAX_SAFE_INTEGER);
    return field === undefined ? { actual, maximum } : { actual, maximum, field };
  };

  return {
    report,
    check: (plan, variables) => {
      if (plan.introspection > maxIntrospection) {
        throw tooComplex(
          `The introspection costs ${readable(Math.ceil(plan.introspection))}, and may cost ${readable(maxIntrospection)} (${INTROSPECTION_ROOM} times the whole schema).`,
          { limit: 'introspection', maximum: maxIntrospection, actual: plan.introspection },
        );
      }
      if (plan.measure(variables).total <= maximum) return;
      const excess = report(plan, variables);
      throw tooComplex(
        `The operation costs ${readable(excess.actual)}, and may cost ${readable(maximum)} (QUERY_MAX_COST). Most of it is "${excess.field}".`,
        { limit: 'QUERY_MAX_COST', ...excess },
      );
    },
  };
};
