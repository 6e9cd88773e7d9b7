const COLUMNS = `c.id, c.name, c.slug, c.image_url as "imageUrl"`;

export interface CategoryRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly imageUrl: string | null;
}

export const categoryRoots = {
  name: 'category_roots',
  text: `select ${COLUMNS} from category c where c.parent_id is null order by c.position, c.id`,
};

/** Values: ids. */
export const categoriesById = {
  name: 'categories_by_id',
  text: `select ${COLUMNS} from category c where c.id = any($1::int[])`,
};
