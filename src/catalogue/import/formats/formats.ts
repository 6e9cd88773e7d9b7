import { bestbuyCategories } from './bestbuy.ts';
import { dummyjson } from './dummyjson.ts';
import type { Format } from './format.ts';
import { categories, notices, products } from './native.ts';
import { shopify } from './shopify.ts';

/** Every format, those with the most telling columns first: the first that recognises a file has it. */
export const FORMATS: readonly Format[] = [shopify, dummyjson, bestbuyCategories, notices, products, categories];
