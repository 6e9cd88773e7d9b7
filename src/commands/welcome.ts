import type { Config } from '../config.ts';

/** What a newcomer reads once the gateway answers: where it is, and things to try. */
export const welcome = (url: string, { exposure, dataDir }: Config): string =>
  `
  Vitrine is open at ${url}
  ${exposure.demo === 'off' ? 'The demo shop is switched off (DEMO).' : `A shop to look at:            ${url}/demo`}
  ${exposure.graphiql === 'off' ? 'GraphiQL is switched off (GRAPHIQL).' : `GraphiQL, to explore the API: ${url}/graphql`}

  Three things to try:

    curl '${url}/api/product/hot?limit=3'

    curl '${url}/api/notice/1'

    curl '${url}/graphql' -H 'content-type: application/json' \\
      -d '{"query":"{ categories { name children { name products(limit: 2) { name price { amount currencyCode } } } } }"}'

  The database lives in ${dataDir}: psql "$(cat ${dataDir}/database-url)"
  Ctrl-C stops both.
`;
