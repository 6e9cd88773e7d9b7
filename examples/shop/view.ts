import { BASE } from './language.ts';

/** What a page shows. */
export interface View {
  readonly title: string;
  /** Those that the page is in. @default all of the shop */
  readonly languages?: readonly string[];
  /** Begins with an `h1`. */
  readonly content: Node;
}

/** Where a visitor is: `/demo/product/1?…` */
export interface Place {
  readonly id: number;
  readonly search: URLSearchParams;
}

/** Makes the view of a place. @throws ShopError */
export type MakeView = (place: Place, signal: AbortSignal) => Promise<View>;

export const productPath = (id: number): string => `${BASE}/product/${id}`;
export const categoryPath = (id: number): string => `${BASE}/category/${id}`;
export const noticePath = (id: number): string => `${BASE}/notice/${id}`;
export const NOTICES_PATH = `${BASE}/notices`;
export const SEARCH_PATH = `${BASE}/search`;

/** What the name of a parameter begins with that holds what is chosen of an option: `option.Size=M`, for a product and in lists. */
export const OPTION = 'option.';

/** The address of this page with one parameter changed, and from its first page. @param values none: without it */
export const withParameter = (search: URLSearchParams, name: string, ...values: readonly string[]): string => {
  const target = new URLSearchParams([...search].filter(([each]) => each !== name && each !== 'page'));
  for (const value of values) target.append(name, value);
  return target.size > 0 ? `${location.pathname}?${target}` : location.pathname;
};

/** The page in the address. @param last the latest that there can be */
export const pageNumber = (search: URLSearchParams, last = 999_999_999): number => {
  const text = search.get('page') ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Math.min(Number(text), last) : 1;
};
