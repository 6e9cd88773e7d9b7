import { categoryImport } from './category/category.import.ts';
import type { ImportKind } from './import/kind.ts';
import { noticeImport } from './notice/notice.import.ts';
import { productImport } from './product/product.import.ts';
import { termImport } from './translation/term.import.ts';
import { variantImport } from './variant/variant.import.ts';

/** What files can hold. A file is of the first kind that recognises its columns, so the most specific come first. */
export const IMPORT_KINDS: readonly ImportKind[] = [
  noticeImport,
  { ...productImport, inner: variantImport },
  variantImport,
  categoryImport,
  termImport,
];
