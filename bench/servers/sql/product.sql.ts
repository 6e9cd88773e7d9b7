// As a team that writes its SQL by hand and knows the indexes would write it: columns under the names of the API, no function on an indexed column.

const COLUMNS = `p.id, p.name, p.slug, p.subtitle, p.description, p.brand, p.tags, p.price, p.list_price as "listPrice", p.currency, p.stock, p.sales,
  p.image_url as "imageUrl", p.image_urls as "imageUrls", p.category_id as "categoryId", p.published_at as "publishedAt",
  p.created_at as "createdAt", p.updated_at as "updatedAt"`;

const VISIBLE = `p.status = 'ON_SALE' and p.published_at <= now()`;

const WITH_CATEGORY = `${COLUMNS}, c.name as "categoryName", c.slug as "categorySlug"`;

const BEST_SELLING = 'p.sales desc, p.published_at desc, p.id desc';

export const ORDERS: Readonly<Record<string, string>> = {
  DEFAULT: BEST_SELLING,
  BEST_SELLING,
  NEWEST: 'p.published_at desc, p.id desc',
  PRICE_ASC: 'p.price, p.id',
  PRICE_DESC: 'p.price desc, p.id desc',
  NAME_ASC: 'p.name, p.id',
};

export interface ProductRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly subtitle: string | null;
  readonly description: string;
  readonly brand: string | null;
  readonly tags: string[];
  readonly price: string;
  readonly listPrice: string | null;
  readonly currency: string;
  readonly stock: number;
  readonly sales: number;
  readonly imageUrl: string | null;
  readonly imageUrls: string[];
  readonly categoryId: number;
  readonly publishedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of the statements that join the category. */
export interface ProductWithCategoryRow extends ProductRow {
  readonly categoryName: string;
  readonly categorySlug: string;
}

/** The statements on products, with the category joined or left to a loader. */
const statements = (suffix: string, columns: string, join: string) => ({
  /** Values: id. */
  detail: {
    name: `product_detail${suffix}`,
    text: `select ${columns} from product p ${join} where p.id = $1 and ${VISIBLE}`,
  },
  /** Values: limit. */
  list: (order: string) => ({
    name: `product_list${suffix}_${order}`,
    text: `select ${columns} from (select * from product p where ${VISIBLE} order by ${ORDERS[order]} limit $1) p ${join} order by ${ORDERS[order]}`,
  }),
  /** The first of each category, from an index, and of those the first. Values: category ids, limit. */
  listOfCategories: (order: string) => ({
    name: `product_list_of_categories${suffix}_${order}`,
    text: `select ${columns}
      from (
        select p.* from unnest($1::int[]) as wanted(id)
        cross join lateral (
          select * from product p where p.category_id = wanted.id and ${VISIBLE} order by ${ORDERS[order]} limit $2
        ) p
        order by ${ORDERS[order]} limit $2
      ) p ${join} order by ${ORDERS[order]}`,
  }),
});

export const productStatements = statements('', COLUMNS, '');
export const productWithCategoryStatements = statements(
  '_category',
  WITH_CATEGORY,
  'join category c on c.id = p.category_id',
);

/** The first of each of several categories. Values: category ids, limit. */
export const topOfEachCategory = (order: string) => ({
  name: `product_top_of_each_category_${order}`,
  text: `select ${COLUMNS} from unnest($1::int[]) as wanted(id)
    cross join lateral (
      select * from product p where p.category_id = wanted.id and ${VISIBLE} order by ${ORDERS[order]} limit $2
    ) p`,
});
