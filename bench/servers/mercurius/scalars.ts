import { GraphQLScalarType } from 'graphql';

export const scalars = {
  DateTime: new GraphQLScalarType<Date, string>({
    name: 'DateTime',
    serialize: (value) => (value as Date).toISOString(),
  }),
  /** `pg` gives a numeric(14, 2) as text, with two digits. */
  Decimal: new GraphQLScalarType<string, string>({ name: 'Decimal', serialize: String }),
  SafeInt: new GraphQLScalarType<number, number>({ name: 'SafeInt', serialize: Number }),
};
