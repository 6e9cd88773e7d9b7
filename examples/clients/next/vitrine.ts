interface Kept {
  readonly data: unknown;
  readonly etag: string | null;
  readonly freshUntilMs: number;
}

/** Beyond it, the answers that were asked for longest ago are forgotten. */
const MAX_KEPT = 500;

/** Asks the gateway by GET: not again within `max-age`, and after that by the `ETag`, so that an answer that has not changed is not sent again. */
export const createVitrine = (url: string) => {
  const kept = new Map<string, Kept>();

  return async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const target = `${url}/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`;
    const known = kept.get(target);
    const nowMs = Date.now();
    if (known && nowMs < known.freshUntilMs) return known.data as Data;

    // `no-store` is for the cache of Next.js, which knows neither `max-age` nor `ETag`.
    const headers: HeadersInit = known?.etag ? { 'if-none-match': known.etag } : {};
    const response = await fetch(target, { headers, cache: 'no-store' });
    let data = known?.data;
    if (response.status !== 304) {
      // The 502 of a proxy is a page of HTML.
      if (!response.headers.get('content-type')?.includes('json')) throw new Error(`${response.status} of ${url}`);
      const body = await response.json();
      if (body.errors) throw new Error(body.errors[0].message);
      data = body.data;
    }
    const maxAgeS = Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1] ?? 0);
    kept.delete(target);
    kept.set(target, { data, etag: response.headers.get('etag'), freshUntilMs: nowMs + maxAgeS * 1000 });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return data as Data;
  };
};
