import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import { GraphQLError } from 'graphql';
import { LateValue } from '../cache/late-value.ts';
import { Prisma } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import { parseTime } from '../parse-time.ts';
import { DEFAULT_PAGE_SIZE, LIST_SIZE, withinIfGiven } from './arguments.ts';
import type { OperationContext } from './context.ts';

/** Types and queries add themselves to it when `schema.ts` imports their files. It holds definitions only, no state. */
export const builder = new SchemaBuilder<{
  Context: OperationContext;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    Decimal: { Input: Prisma.Decimal; Output: Prisma.Decimal };
    SafeInt: { Input: number; Output: bigint };
  };
}>({
  plugins: [PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: ({ prismaForRelations }) => prismaForRelations,
    dmmf: getDatamodel(),
    maxConnectionSize: LIST_SIZE.maximum,
    defaultConnectionSize: DEFAULT_PAGE_SIZE,
  },
  relay: {
    pageInfoTypeOptions: { description: 'Where a page is in its list.' },
    hasNextPageFieldOptions: { description: 'Whether there is more after it.' },
    hasPreviousPageFieldOptions: { description: 'Whether there is more before it.' },
    startCursorFieldOptions: { description: 'Of the first edge; null for none.' },
    endCursorFieldOptions: { description: 'Of the last edge; null for none.' },
    firstArgOptions: withinIfGiven(LIST_SIZE),
    lastArgOptions: withinIfGiven(LIST_SIZE),
  },
});

builder.queryType({ description: 'What a shop shows: its products, their categories and its notices.' });

builder.subscriptionType({
  description: 'What a shop shows, at once and again whenever it changes: `Accept: text/event-stream`.',
});

/** Part of the options of a field of the subscription type, whose `resolve` is as a query's. */
export const LIVE_FIELD = {
  // Each event is an execution of the same selection, one for all who listen (live/topics.ts).
  subscribe: (): AsyncIterable<object> => {
    throw new Error('Subscriptions are not run by the executor of graphql.');
  },
} as const;

const outputOnly = (name: string) => (): never => {
  throw new GraphQLError(`${name} is an output type.`);
};

/** As many digits as the bounds of an attribute's facet may have. */
const DECIMAL = /^-?\d{1,301}(\.\d{1,20})?$/;

const parseDecimal = (value: unknown): Prisma.Decimal => {
  const text = typeof value === 'number' || typeof value === 'bigint' ? `${value}` : value;
  if (typeof text === 'string' && DECIMAL.test(text)) return new Prisma.Decimal(text);
  throw new GraphQLError(`Decimal must be a decimal number such as "24.90", but is ${JSON.stringify(value)}.`);
};

const parseDateTime = (value: unknown): Date => {
  const time = parseTime(value);
  if (time) return time;
  throw new GraphQLError(
    `DateTime must be a time with its offset such as "2026-11-20T08:30:00Z", but is ${JSON.stringify(value)}.`,
  );
};

builder.scalarType('DateTime', {
  description: 'A timestamp in ISO 8601, in UTC with milliseconds: `2026-11-20T08:30:00.000Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (moment) => moment.toISOString(),
  parseValue: parseDateTime,
});

builder.scalarType('Decimal', {
  description: 'An exact decimal number as a string, in answers always with two digits after the point: `"24.90"`.',
  serialize: (amount) => amount.toFixed(2),
  parseValue: parseDecimal,
});

builder.scalarType('SafeInt', {
  description: 'An integer up to 2^53 - 1, the largest that every JSON reader keeps exact.',
  serialize: (count: unknown) => {
    if (count instanceof LateValue) return count;
    const value = Number(count);
    if (!Number.isSafeInteger(value)) throw new GraphQLError(`SafeInt cannot represent ${count}.`);
    return value;
  },
  parseValue: outputOnly('SafeInt'),
});
