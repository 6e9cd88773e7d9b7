import { coffeeAndTea } from './coffee-and-tea.ts';
import { cookware } from './cookware.ts';
import type { DemoProduct } from './demo-product.ts';
import { garden } from './garden.ts';
import { linenAndBath } from './linen-and-bath.ts';
import { listening } from './listening.ts';
import { stationery } from './stationery.ts';
import { tableware } from './tableware.ts';
import { trailAndCamp } from './trail-and-camp.ts';

/** The 150 products of the demo shop by the slug of their category. New ones go last, so that ids stay the same. */
export const demoProductsByCategory: ReadonlyMap<string, readonly DemoProduct[]> = new Map([
  ['cookware', cookware],
  ['tableware', tableware],
  ['coffee-and-tea', coffeeAndTea],
  ['linen-and-bath', linenAndBath],
  ['stationery', stationery],
  ['listening', listening],
  ['garden', garden],
  ['trail-and-camp', trailAndCamp],
]);
