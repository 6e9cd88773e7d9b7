import { category } from './category/category.feature.ts';
import type { Feature } from './feature.ts';
import { notice } from './notice/notice.feature.ts';
import { product } from './product/product.feature.ts';
import { term } from './translation/term.feature.ts';
import { variant } from './variant/variant.feature.ts';

/** Every feature: a new one is a folder and a line here. */
export const FEATURES: readonly Feature[] = [category, product, variant, notice, term];
