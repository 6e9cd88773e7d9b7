import { type Changes, followChanges } from '../live/changes.ts';

// Drops from Varnish (cache.vcl) what has changed: `node purge.ts`.

const MAX_IDS = 100;

/** What the addresses match that show it. An operation of GraphQL may show anything. */
const patternsOf = ({ products, categories, notices, everything }: Changes): string[] => {
  if (everything) return ['.'];
  const patterns = ['^/graphql'];
  // Every product shows its category.
  if (categories.length > 0 || products.length > MAX_IDS) patterns.push('^/api/product/');
  else if (products.length > 0)
    patterns.push(`^/api/product/(${[...products, 'hot', 'new', 'list'].join('|')})(\\?|$)`);
  if (notices.length > 0) patterns.push('^/api/notice/');
  return patterns;
};

followChanges(async (changes) => {
  for (const pattern of patternsOf(changes)) {
    const response = await fetch(process.env.CACHE_URL ?? 'http://localhost:6081', {
      method: 'BAN',
      headers: { 'x-ban': pattern },
    });
    if (!response.ok) throw new Error(`Varnish answered ${response.status}.`);
  }
});
