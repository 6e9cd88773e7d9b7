import type { Contender } from '../servers/contenders.ts';
import { PRODUCT_DOCUMENT } from './documents.ts';
import type { Call } from './workload.ts';

/** The request by which every server shows that it has started: the same product, with a method that it answers. */
export const firstCallOf = ({ methods }: Contender): Call =>
  methods.includes('GET')
    ? { method: 'GET', target: '/api/product/1' }
    : { method: 'POST', target: '/graphql', body: JSON.stringify({ query: PRODUCT_DOCUMENT, variables: { id: 1 } }) };
