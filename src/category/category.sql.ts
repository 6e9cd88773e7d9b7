import { Prisma } from '../database/generated/client/client.ts';
import { COLUMNS } from '../database/generated/tables.ts';
import { columnsOf, type Statement } from '../database/sql.ts';

const SHOWN = columnsOf(Prisma.CategoryScalarFieldEnum, COLUMNS.Category, 'c');

// Prisma has no recursive queries: a tree would take a statement for each level.
// `union` leaves out rows that are there already, so that a circle of categories ends too.

/** Values: ids. */
export const categoriesAndAncestors: Statement = {
  name: 'categories_and_ancestors',
  text: `
    with recursive above (id, parent_id) as (
      select c.id, c.parent_id from category c where c.id = any($1::int[])
      union
      select c.id, c.parent_id from above a join category c on c.id = a.parent_id
    )
    select ${SHOWN} from above a join category c on c.id = a.id`,
};

/** Values: ids. */
export const categoriesAndDescendants: Statement = {
  name: 'categories_and_descendants',
  text: `
    with recursive below (id) as (
      select unnest($1::int[])
      union
      select c.id from below b join category c on c.parent_id = b.id
    )
    select b.id from below b`,
};
