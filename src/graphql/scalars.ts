import { GraphQLError } from 'graphql';
import { amountText } from '../database/types.ts';
import { builder } from './builder.ts';
import { createIsoTime } from './iso-time.ts';

const outputOnly = (name: string) => (): never => {
  throw new GraphQLError(`${name} is an output type.`);
};

builder.scalarType('DateTime', {
  description: 'A moment in ISO 8601, in UTC with milliseconds: `2026-11-20T08:30:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: createIsoTime(),
  parseValue: outputOnly('DateTime'),
});

builder.scalarType('Decimal', {
  description: 'An exact decimal number as a string, always with two digits after the point: `"24.90"`.',
  serialize: amountText,
  parseValue: outputOnly('Decimal'),
});

builder.scalarType('SafeInt', {
  description: 'An integer up to 2^53 - 1, the largest that every JSON reader keeps exact.',
  serialize: (count) => {
    const value = Number(count);
    if (!Number.isSafeInteger(value)) throw new GraphQLError(`SafeInt cannot represent ${count}.`);
    return value;
  },
  parseValue: outputOnly('SafeInt'),
});
