// What a notification says that a product is now. The trigger writes it where nothing else of a visible product has changed
// (prisma/migrations/20261125000000_changed_values): change both together.
const VALUES = /^-?\d+(\.\d+)?,(-|-?\d+(\.\d+)?),-?\d+,-?\d+,-?\d+,-?\d+$/;

/** As PostgreSQL writes them. */
export interface ProductValues {
  readonly price: string;
  readonly listPrice: string | null;
  readonly stock: string;
  readonly sales: string;
  readonly updatedUs: string;
  readonly publishedUs: string;
}

/** @param values such as `12.50,-,4,100,1790000000123456,1780000000000000` @returns undefined where they cannot be read */
export const readValues = (values: string): ProductValues | undefined => {
  if (!VALUES.test(values)) return undefined;
  const [price = '', listPrice = '', stock = '', sales = '', updatedUs = '', publishedUs = ''] = values.split(',');
  return { price, listPrice: listPrice === '-' ? null : listPrice, stock, sales, updatedUs, publishedUs };
};
