/** What a product costs, and before a reduction. */
export interface Offer {
  readonly price: string;
  readonly listPrice: string;
}

/** Prices are imported as they are now, because the table has no dates for them. Dates that cannot be read do not end a sale. */
export const offerOf = (regular: string, sale: string, from: string, to: string): Offer => {
  const now = Date.now();
  const start = Date.parse(from);
  // A date alone is the whole day.
  const end = Date.parse(/^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T23:59:59Z` : to);
  const isOver = sale === '' || start > now || end < now;
  return isOver ? { price: regular, listPrice: '' } : { price: sale, listPrice: regular };
};
