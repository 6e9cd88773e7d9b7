import type { Prisma } from '../database/generated/client/client.ts';
import { builder } from '../graphql/builder.ts';

interface MoneyShape {
  readonly amount: Prisma.Decimal;
  readonly currencyCode: string;
}

export const Money = builder.objectRef<MoneyShape>('Money').implement({
  description: 'An amount in a currency.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'Decimal', description: 'With two digits after the point: `"24.90"`.' }),
    currencyCode: t.exposeString('currencyCode', { description: 'ISO 4217: three letters.' }),
  }),
});
