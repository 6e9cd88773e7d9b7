import type { FixedRequest } from '../load/requests.ts';

/** A response, under the key that `limit.ts` finds it by. */
export interface Recorded {
  readonly key: string;
  readonly status: number;
  readonly contentType: string;
  /** One character for each byte. */
  readonly body: string;
}

export const keyOf = ({ method, target, accept = '', body }: FixedRequest): string =>
  body ?? `${method} ${target} ${accept}`;

const graphql = (query: string, variables?: object): FixedRequest => ({
  method: 'POST',
  target: '/graphql',
  body: JSON.stringify({ query, variables }),
});

/** Kinds of failure, each as a request that differs from the others by a number. */
export const FAILURES: Readonly<Record<string, (number: number) => FixedRequest>> = {
  'an id that no product has (404)': (number) => ({ method: 'GET', target: `/api/product/${1_000_000_000 + number}` }),
  'a parameter that is no number (400)': (number) => ({ method: 'GET', target: `/api/product/hot?limit=x${number}` }),
  'a path that is none (404)': (number) => ({ method: 'GET', target: `/nothing/${number}` }),
  'a method that the path does not take (405)': (number) => ({ method: 'DELETE', target: `/api/product/${number}` }),
  'a media type that there is not (406)': (number) => ({
    method: 'GET',
    target: `/graphql?query=%7B__typename%7D&number=${number}`,
    accept: 'image/png',
  }),
  'a document that does not parse': (number) => graphql(`{ hotProducts(limit: ${number} { id }`),
  'a document that does not validate': (number) => graphql(`{ hotProducts { id none${number} } }`),
  'a variable of another type': (number) =>
    graphql('query($id: Int!) { product(id: $id) { id } }', { id: `x${number}` }),
};
