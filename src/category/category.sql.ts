import { columnsOf } from '../database/columns.ts';
import { Prisma } from '../database/generated/client/client.ts';
import type { Statement } from '../database/sql.ts';

const COLUMNS = columnsOf(Prisma.CategoryScalarFieldEnum, 'c');

/** Values: ids. */
export const categoriesById: Statement = {
  name: 'categories_by_id',
  text: `select ${COLUMNS} from category c where c.id = any($1::int[])`,
};

/** Values: ids of parents. */
export const categoriesOfParents: Statement = {
  name: 'categories_of_parents',
  text: `select ${COLUMNS} from category c where c.parent_id = any($1::int[]) order by c.position, c.id`,
};
