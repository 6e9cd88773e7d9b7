import { type Changes, followChanges } from '../live/changes.ts';

// A program beside Next.js, whose `revalidateTag` can only be called in a request: `node revalidate.ts`.

/** The tags (kept.ts) of what has changed. */
const tagsOf = ({ products, categories, notices, everything }: Changes): string[] => [
  ...(everything ? ['vitrine'] : []),
  ...products.map((id) => `product-${id}`),
  ...(products.length + categories.length > 0 ? ['products'] : []),
  ...(categories.length > 0 ? ['categories'] : []),
  ...(notices.length > 0 ? ['notices'] : []),
];

followChanges(async (changes) => {
  const response = await fetch(`${process.env.NEXT_URL ?? 'http://localhost:3000'}/revalidate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.REVALIDATE_TOKEN}` },
    body: JSON.stringify(tagsOf(changes)),
  });
  if (!response.ok) throw new Error(`Next.js answered ${response.status}.`);
});
