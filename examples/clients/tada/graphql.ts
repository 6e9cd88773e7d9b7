import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; Decimal: string; SafeInt: number };
}>();

export { type FragmentOf, readFragment } from 'gql.tada';
