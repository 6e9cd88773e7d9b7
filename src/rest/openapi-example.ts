import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { SAMPLES } from '../catalogue/samples.ts';
import { type SelectedField, selectedFields } from './openapi-selection.ts';

type Sample = Readonly<Record<string, unknown>>;

/** Where the demo catalogue knows nothing of a field. */
const VALUES: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1.5,
  String: 'text',
  ID: '1',
  Boolean: true,
  DateTime: '2026-11-20T08:30:00.000Z',
  Decimal: '24.90',
  SafeInt: 1,
};

/** What a field may answer with what is selected of it: the demo catalogue's own values, whatever they are called. */
export const exampleOf = (schema: GraphQLSchema, { field, selections }: SelectedField): unknown => {
  const sampleOf = (type: GraphQLOutputType, below: readonly SelectionSetNode[], sample: unknown): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const items = Array.isArray(sample) ? sample : [sample];
      return items.map((item) => sampleOf(nullable.ofType, below, item));
    }
    if (isObjectType(nullable)) return sample === null ? null : objectOf(nullable, below, sample);
    if (sample !== undefined || !isLeafType(nullable)) return sample ?? null;
    return isEnumType(nullable) ? nullable.getValues()[0]?.name : VALUES[nullable.name];
  };

  const objectOf = (type: GraphQLObjectType, below: readonly SelectionSetNode[], own: unknown): Sample => {
    const sample: Sample = { __typename: type.name, ...SAMPLES[type.name], ...(own as Sample | undefined) };
    return Object.fromEntries(
      selectedFields(schema, type, below).map(([key, selected]) => [
        key,
        sampleOf(selected.field.type, selected.selections, sample[selected.field.name]),
      ]),
    );
  };

  return sampleOf(field.type, selections, undefined);
};
