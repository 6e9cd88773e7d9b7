import { revalidateTag } from 'next/cache';

// `app/revalidate/route.ts`: drops the pages that show what has changed.

export const POST = async (request: Request): Promise<Response> => {
  if (request.headers.get('authorization') !== `Bearer ${process.env.REVALIDATE_TOKEN}`) {
    return new Response(null, { status: 401 });
  }
  const tags: string[] = await request.json();
  // At once: with the profile "max", the next visitor would get the page of before.
  for (const tag of tags) revalidateTag(tag, { expire: 0 });
  return new Response(null, { status: 204 });
};
