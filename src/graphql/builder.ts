import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Prisma } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import { getDatamodel } from '../database/generated/pothos.ts';
import type { OperationContext } from './context.ts';

/** The schema's definition, not its state: types and queries add themselves to it when `schema.ts` imports their files. */
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
  plugins: [PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: ({ prisma }) => prisma, dmmf: getDatamodel() },
});

builder.queryType({ description: 'What a shop shows: its products, their categories and its notices.' });
