export interface Route {
  /** May end in one parameter in braces, which takes digits only. */
  readonly path: string;
  /** The document's file name without `.graphql`. */
  readonly document: string;
  readonly summary: string;
}

/** Every REST path. A new path is a row here and a document in operations/. */
export const ROUTES: readonly Route[] = [
  { path: '/api/product/{id}', document: 'product', summary: 'Product detail' },
  { path: '/api/product/hot', document: 'product-hot', summary: 'Hot products' },
  { path: '/api/product/new', document: 'product-new', summary: 'New products' },
  { path: '/api/product/list', document: 'product-list', summary: 'Products by category' },
  { path: '/api/notice/list', document: 'notice-list', summary: 'Notice list' },
  { path: '/api/notice/page', document: 'notice-page', summary: 'Notice page' },
  { path: '/api/notice/{id}', document: 'notice', summary: 'Notice detail' },
];
