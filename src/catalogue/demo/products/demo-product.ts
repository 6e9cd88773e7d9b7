/** One article of the demo shop. What is left out takes the default named here. */
export type DemoProduct = {
  readonly name: string;
  /** Unique, kebab-case, and not ending in `-` and a digit: that ending names the further pictures. */
  readonly slug: string;
  /** @default null */
  readonly subtitle?: string;
  readonly description: string;
  /** @default null */
  readonly brand?: string;
  readonly tags: readonly string[];
  /** US dollars with two decimals: text, because a binary float cannot hold 0.10. */
  readonly price: string;
  /** The price before a reduction, above `price`. @default null */
  readonly listPrice?: string;
  readonly stock: number;
  /** Pieces sold so far. */
  readonly sales: number;
  /** Hours between publication and seeding; negative when the product is still to come. */
  readonly publishedHoursAgo: number;
  /** @default 'ON_SALE' */
  readonly status?: 'DRAFT' | 'OFF_SALE';
  /** How many pictures the product has, at least one. @default 2 */
  readonly imageCount?: number;
};
