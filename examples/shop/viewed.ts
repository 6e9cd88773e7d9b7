import { element } from './elements.ts';
import { query } from './graphql.ts';
import { say } from './language.ts';
import { ViewedDocument } from './operations.ts';
import { productGrid } from './products.ts';
import { lasting } from './storage.ts';

const KEY = 'vitrine-demo-viewed';
const MOST = 5;

const viewedIds = (): number[] => {
  const kept = lasting.read(KEY) ?? '';
  return kept
    .split(',')
    .filter((text) => /^\d{1,9}$/.test(text))
    .map(Number);
};

/** Keeps that a visitor has looked at a product, in this browser alone. */
export const rememberViewed = (id: number): void => {
  const ids = [id, ...viewedIds().filter((other) => other !== id)];
  lasting.write(KEY, ids.slice(0, MOST).join(','));
};

/** What a visitor has looked at, latest first. A page does without it where it cannot be had. @param except the product of the page */
export const recentlyViewed = async (signal: AbortSignal, except?: number): Promise<(HTMLElement | false)[]> => {
  const ids = viewedIds()
    .filter((id) => id !== except)
    .slice(0, MOST - 1);
  if (ids.length === 0) return [];
  const { productsByIds } = await query(ViewedDocument, { ids }, signal).catch(() => ({ productsByIds: [] }));
  const products = productsByIds.flatMap((product) => product ?? []);
  return products.length === 0 ? [] : [element('h2', {}, say('Recently viewed')), productGrid(products)];
};
