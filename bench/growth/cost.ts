import type { Catalogue } from '../database/catalogue.ts';
import type { HttpClient } from '../load/http-client.ts';
import type { Call } from '../workloads/workload.ts';
import type { Meter } from './meter.ts';

/** CPU time for one request, in microseconds. */
export interface Cost {
  readonly title: string;
  /** Asked for the first time. */
  readonly cold: { readonly server: number; readonly postgres: number };
  /** From memory. */
  readonly warmServer: number;
}

const ORDERS = ['DEFAULT', 'NEWEST', 'BEST_SELLING', 'PRICE_ASC', 'PRICE_DESC', 'NAME_ASC'];
/** So many of each kind from memory: CPU time is counted in hundredths of a second. */
const WARM_REQUESTS = 6000;

const get = (target: string): Call => ({ method: 'GET', target });

const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** What is asked, none twice. A prime spreads the ids over the catalogue. */
export const requestsOf = ({ products, categories }: Catalogue): Record<string, Call[]> => ({
  'a product': times(2000, (n) => get(`/api/product/${1 + ((n * 1_299_709) % products)}`)),
  'a list of a category, 20': times(categories * ORDERS.length, (n) =>
    get(`/api/product/list?categoryIds=${1 + (n % categories)}&orderBy=${ORDERS[Math.floor(n / categories)]}`),
  ),
  'a list of all, 1 to 100': times(600, (n) =>
    get(`/api/product/list?orderBy=${ORDERS[n % 6]}&limit=${1 + (n % 100)}`),
  ),
  'a page of notices, 1 to 100': times(300, (n) =>
    get(`/api/notice/page?pageNum=${1 + (n % 3)}&pageSize=${1 + (n % 100)}`),
  ),
  'notices found by a word': times(240, (n) => get(`/api/notice/page?keyword=number+${n}`)),
});

export const measureCosts = async (catalogue: Catalogue, client: HttpClient, meter: Meter): Promise<Cost[]> => {
  const costs: Cost[] = [];
  for (const [title, all] of Object.entries(requestsOf(catalogue))) {
    const calls = [...new Map(all.map((call) => [call.target, call])).values()];
    // Statements are prepared by the first of their kind on each connection.
    await client.callAll(calls.slice(0, 40));
    const fresh = calls.slice(40);
    const cold = await meter.use(() => client.callAll(fresh));
    const rounds = Math.ceil(WARM_REQUESTS / calls.length);
    const warm = await meter.use(async () => {
      for (let round = 0; round < rounds; round += 1) await client.callAll(calls);
    });
    costs.push({
      title,
      cold: { server: cold.server / fresh.length, postgres: cold.postgres / fresh.length },
      warmServer: warm.server / (rounds * calls.length),
    });
  }
  return costs;
};
