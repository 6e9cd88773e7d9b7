import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { type Prisma, PrismaClient } from '../../../src/database/generated/client/client.ts';
import type PrismaTypes from '../../../src/database/generated/pothos.ts';
import { getDatamodel } from '../../../src/database/generated/pothos.ts';

// https://www.prisma.io/docs/orm/overview/databases/postgresql
export const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL ?? '' }) });

// https://pothos-graphql.dev/docs/plugins/prisma/setup
export const builder = new SchemaBuilder<{
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    Decimal: { Input: Prisma.Decimal; Output: Prisma.Decimal };
    SafeInt: { Input: bigint; Output: bigint };
  };
}>({
  plugins: [PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: prisma, dmmf: getDatamodel(), onUnusedQuery: null },
});

builder.queryType();

builder.scalarType('DateTime', { serialize: (value) => value.toISOString() });
builder.scalarType('Decimal', { serialize: (value) => value.toFixed(2) });
builder.scalarType('SafeInt', { serialize: Number });
