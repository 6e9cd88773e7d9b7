import { Prisma } from '../database/generated/client/client.ts';
import { COLUMNS } from '../database/generated/tables.ts';
import { columnsOf, type Statement } from '../database/sql.ts';
import { namesIn, statementIn } from '../language/shown.ts';
import { orderBySql, orderColumns, type ProductOrder } from './product.order.ts';
import { visibility } from './visibility.ts';

const SHOWN = {
  rows: columnsOf(Prisma.ProductScalarFieldEnum, COLUMNS.Product, 'p'),
  ids: columnsOf({ id: 'id', categoryId: 'categoryId' }, COLUMNS.Product, 'p'),
};

/**
 * A list in an order, of whole rows or of their ids.
 * @param languages of the names that it is sorted by, as `Language.fallBacks`
 */
export type ListStatement = (
  order: ProductOrder,
  shown: keyof typeof SHOWN,
  languages?: readonly string[],
) => Statement;

/** What differs between the statements of one list. */
interface ListParts {
  readonly columns: string;
  /** The table `p`, with the names as they are shown where these are sorted by. */
  readonly products: string;
  /** The columns of the order. */
  readonly keys: readonly string[];
  readonly orderBy: (alias: string) => string;
}

const byOrder =
  (name: string, make: (parts: ListParts) => string): ListStatement =>
  (order, shown, languages) => {
    const columns = SHOWN[shown];
    if (order !== 'NAME_ASC' || !languages) {
      const orderBy = (alias: string): string => orderBySql(order, alias);
      const text = make({ columns, products: 'product p', keys: orderColumns(order), orderBy });
      return { name: `${name}_${order}_${shown}`, text };
    }
    const names = namesIn(languages);
    const products = `(select p.*, ${names.name} as shown_name from product p${names.joins}) p`;
    const orderBy = (alias: string): string => `${alias}.shown_name, ${alias}.id`;
    const text = make({ columns, products, keys: ['shown_name', 'id'], orderBy });
    return { name: statementIn(`${name}_${order}_${shown}`, languages), text };
  };

/**
 * The first of the whole catalogue. Values: now, limit.
 * Prisma compares the status with `CAST($1::text AS product_status)`, from which PostgreSQL cannot prove the condition of a partial index:
 * it reads and sorts all products.
 */
export const listOfAll = byOrder(
  'product_list',
  ({ columns, products, orderBy }) =>
    `select ${columns} from ${products} where ${visibility.sql('p', '$1::timestamptz')} order by ${orderBy('p')} limit $2`,
);

/**
 * The first of some categories taken together. Values: category ids, now, limit.
 * An index scan of `limit` keys for each category; the results are merged, and only the rows that remain are fetched. A plain
 * `category_id = any(…)`, as Prisma writes it, reads and sorts whole categories: 1,883 lists a second instead of 10,502.
 */
export const listOfCategories = byOrder(
  'product_list_of_categories',
  ({ columns, products, keys, orderBy }) => `
    select ${columns}
    from (
      select k.*
      from unnest($1::int[]) as c(id)
      cross join lateral (
        select ${keys.map((column) => `p.${column}`)}
        from ${products}
        where p.category_id = c.id and ${visibility.sql('p', '$2::timestamptz')}
        order by ${orderBy('p')}
        limit $3
      ) k
      order by ${orderBy('k')}
      limit $3
    ) k
    join product p on p.id = k.id
    order by ${orderBy('k')}`,
);

/**
 * The first of each category, one category after another. Values: category ids, now, limit.
 * Prisma's `take` in a relation reads all products of the categories and cuts the lists in memory: 7.9 ms of CPU for ten of each of 20.
 */
export const topOfEachCategory = byOrder(
  'product_top_of_each_category',
  ({ columns, products, orderBy }) => `
    select ${columns}
    from unnest($1::int[]) as c(id)
    cross join lateral (
      select p.* from ${products}
      where p.category_id = c.id and ${visibility.sql('p', '$2::timestamptz')}
      order by ${orderBy('p')}
      limit $3
    ) p`,
);

/** {@link relatedToEach} reads at most so many products with each tag (about 5 ms). */
const MAX_WITH_TAG = 1000;

/** So many times as many best sellers are compared as are wanted. */
const BEST_SELLERS = 10;

const VISIBLE = visibility.sql('p', '$2::timestamptz');

/**
 * The first that are related to each product, one product after another: most tags in common, then of the same category, then as
 * BEST_SELLING. Values: product ids, now, limit.
 * Where more products have a tag than are read, a rarer tag in common finds the others, and so do best sellers, which are likely to have it.
 */
export const relatedToEach: Statement = {
  name: 'product_related_to_each',
  text: `
    select o.id as "of", ${SHOWN.rows}
    from unnest($1::int[]) with ordinality as each (id, place)
    join product o on o.id = each.id
    cross join lateral (select array(select distinct unnest(o.tags)) as tags) d
    cross join lateral (
      select p.id, p.category_id = o.category_id as is_near,
        (select count(*) from unnest(d.tags) as tag where tag = any (p.tags)) as common
      from product p
      where p.id = any (array(
          select t.id
          from unnest(d.tags) as tag
          cross join lateral (
            select p.id from product_words w join product p on p.id = w.product_id
            where w.tags @> vitrine_tag_keys(array[tag]) and tag = any (p.tags) and ${VISIBLE} limit ${MAX_WITH_TAG}
          ) t
          union all
          (select p.id from product p where p.category_id = o.category_id and ${VISIBLE} order by ${orderBySql('BEST_SELLING', 'p')} limit $3 * ${BEST_SELLERS})
          union all
          (select p.id from product p where ${VISIBLE} order by ${orderBySql('BEST_SELLING', 'p')} limit $3 * ${BEST_SELLERS})
        ))
        and p.id <> o.id and ${VISIBLE}
      order by common desc, is_near desc, ${orderBySql('BEST_SELLING', 'p')} limit $3
    ) k
    join product p on p.id = k.id
    order by each.place, k.common desc, k.is_near desc, ${orderBySql('BEST_SELLING', 'p')}`,
};

/** Values: category ids, now. */
export const countOfEachCategory: Statement = {
  name: 'product_count_of_each_category',
  text: `
    select p.category_id as id, count(*)::int as count from product p
    where p.category_id = any($1::int[]) and ${VISIBLE} group by p.category_id`,
};

/** With the categories below each, which are counted once however many of the categories they are below. Values: category ids, now. */
export const countOfEachTree: Statement = {
  name: 'product_count_of_each_tree',
  text: `
    with recursive tree (root, id) as (
      select id, id from unnest($1::int[]) id
      union
      select t.root, c.id from tree t join category c on c.parent_id = t.id
    ), counted as (
      select p.category_id, count(*) as count from product p
      where p.category_id in (select t.id from tree t) and ${VISIBLE} group by p.category_id
    )
    select t.root as id, sum(c.count)::int as count from tree t join counted c on c.category_id = t.id group by t.root`,
};

/** Value: now. */
export const mostUsedCurrency: Statement = {
  name: 'most_used_currency',
  text: `
    select p.currency
    from product p
    where ${visibility.sql('p', '$1::timestamptz')}
    group by p.currency
    order by count(*) desc, p.currency
    limit 1`,
};
