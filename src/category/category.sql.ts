import { columnsOf } from '../database/columns.ts';
import { Prisma } from '../database/generated/client/client.ts';
import type { Statement } from '../database/sql.ts';

/** Values: ids. */
export const categoriesById: Statement = {
  name: 'categories_by_id',
  text: `select ${columnsOf(Prisma.CategoryScalarFieldEnum, 'c')} from category c where c.id = any($1::int[])`,
};
