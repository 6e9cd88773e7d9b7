import type { Config } from '../config.ts';
import type { Place } from './front-page.ts';

/** What there is to go to, as the switches leave it. */
export const placesOf = ({ graphiql, docs, demo, metrics }: Config['exposure']): Place[] => [
  {
    name: 'graphql',
    href: '/graphql',
    ...(graphiql === 'off'
      ? { title: 'GraphQL', about: 'The endpoint: GET, and POST of application/json.' }
      : { title: 'GraphiQL', about: 'The GraphQL API: read the schema, write operations, run them.' }),
  },
  ...(demo === 'off'
    ? []
    : [
        {
          name: 'demo',
          href: '/demo',
          title: 'Demo shop',
          about: 'A storefront on the GraphQL API, to look at and to copy.',
        },
      ]),
  ...(docs === 'off'
    ? []
    : [
        {
          name: 'docs',
          href: '/docs',
          title: 'REST reference',
          about: 'The seven paths: parameters, answers, errors, and a button that tries each.',
          relation: 'service-doc',
        },
        {
          name: 'openapi',
          href: '/openapi.json',
          title: 'OpenAPI',
          about: 'The same for tools.',
          relation: 'service-desc',
        },
      ]),
  { name: 'readiness', href: '/readyz', title: 'Health', about: 'Whether it can serve.', relation: 'status' },
  ...(metrics === 'off' ? [] : [{ name: 'metrics', href: '/metrics', title: 'Metrics', about: 'For Prometheus.' }]),
];
