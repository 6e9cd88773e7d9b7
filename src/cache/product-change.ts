/** What a statement did to products, as the triggers of the migration `product_changes` tell it. */
export interface ProductChange {
  /** Before and after it. */
  readonly ids: readonly number[];
  /** The categories in which they stood, or stand now. */
  readonly categoryIds: readonly number[];
  /** When the next of them is published, in the database's milliseconds; infinite where none is to be. */
  readonly publishedMs: number;
}

const INTEGERS = /^-?\d+(,-?\d+)*$/;

/** `17,18 3,4`, or `17 3 1790000000000.5` with the next publication; undefined for anything else, which stands for any products. */
export const readProductChange = (payload: string): ProductChange | undefined => {
  const [ids = '', categoryIds = '', published = 'Infinity', ...more] = payload.split(' ');
  const publishedMs = Number(published);
  if (!INTEGERS.test(ids) || !INTEGERS.test(categoryIds) || Number.isNaN(publishedMs) || more.length > 0)
    return undefined;
  return { ids: ids.split(',').map(Number), categoryIds: categoryIds.split(',').map(Number), publishedMs };
};
