import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isIntrospectionType,
  type OperationDefinitionNode,
  type VariableValues,
} from 'graphql';
import { fragmentsOf } from '../compiled/collect-fields.ts';
import { type ArgumentReader, listLengthReader, listSizeReader } from './argument-size.ts';
import { type Cost, type CostNode, measureCost } from './cost.ts';
import { assumedSizeOf, introspectionSizes, isObjectList, sizedFieldsOf, slicingArgumentOf } from './list-size.ts';
import { type Selected, type Selection, selectedFields } from './selected-fields.ts';

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
