import { GraphQLBoolean, GraphQLInt, type GraphQLLeafType, GraphQLString, isEnumType } from 'graphql';
import { Slot } from './slot.ts';

/** The JSON text of one value. @throws what the type throws for a value that it cannot represent */
export type LeafWriter = (value: unknown) => string;

const MAX_INT = 2 ** 31;

/**
 * Result coercion of a scalar or enum, straight to JSON: https://spec.graphql.org/draft/#sec-Scalars.Result-Coercion
 * The values that a resolver normally gives take a short way; any other takes the type's own.
 */
export const leafWriter = (type: GraphQLLeafType): LeafWriter => {
  if (isEnumType(type)) return enumWriter((value) => type.coerceOutputValue(value));
  const coerced: LeafWriter = (value) => JSON.stringify(type.coerceOutputValue(value));
  switch (type) {
    case GraphQLInt:
      return (value) =>
        typeof value === 'number' && Number.isInteger(value) && value < MAX_INT && value >= -MAX_INT
          ? `${value}`
          : coerced(value);
    case GraphQLString:
      return (value) => (typeof value === 'string' ? JSON.stringify(value) : coerced(value));
    case GraphQLBoolean:
      return (value) => (value === true ? 'true' : value === false ? 'false' : coerced(value));
    default:
      return (value) => (value instanceof Slot ? value.text : coerced(value));
  }
};

const enumWriter = (coerce: LeafWriter | ((value: unknown) => unknown)): LeafWriter => {
  const known = new Map<unknown, string>();
  return (value) => {
    const text = known.get(value) ?? JSON.stringify(coerce(value));
    if (known.size < MAX_ENUM_VALUES) known.set(value, text);
    return text;
  };
};

const MAX_ENUM_VALUES = 100;
