/** What a page shows. */
export interface View {
  readonly title: string;
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

export const BASE = '/demo';

export const productPath = (id: number): string => `${BASE}/product/${id}`;
export const categoryPath = (id: number): string => `${BASE}/category/${id}`;
export const noticePath = (id: number): string => `${BASE}/notice/${id}`;
export const NOTICES_PATH = `${BASE}/notices`;
