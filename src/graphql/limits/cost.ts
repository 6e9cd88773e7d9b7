import { type DirectiveNode, GraphQLIncludeDirective, Kind, type VariableValues } from 'graphql';
import type { ArgumentReader } from './argument-size.ts';

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
export const measureCost = (roots: readonly CostNode[], variables?: VariableValues): Cost => {
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
