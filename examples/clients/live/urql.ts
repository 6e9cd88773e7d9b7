import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { createLive } from './subscribe.ts';

const url = `${process.env.VITRINE_URL ?? 'http://localhost:4000'}/graphql`;

const live = createLive(url);
const client = new Client({
  url,
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({ unsubscribe: live({ query, variables }, sink) }),
      }),
    }),
  ],
});

const NOTICES = gql<{ readonly notices: readonly { readonly title: string }[] }>`
  subscription Notices {
    notices {
      id
      title
    }
  }
`;

client.subscription(NOTICES, {}).subscribe(({ data, error }) => {
  if (error) throw error;
  console.log(data?.notices.map(({ title }) => title));
});
