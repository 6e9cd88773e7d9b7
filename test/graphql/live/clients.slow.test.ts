import { fetchExchange, subscriptionExchange, Client as UrqlClient } from '@urql/core';
import { EventSource } from 'eventsource';
import { createClient, type RequestParams, type Sink } from 'graphql-sse';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { PATIENT } from '../../support/gateway.ts';
import { startGatewayProcess } from '../../support/process.ts';
import { insertNotice } from '../../support/rows.ts';
import { shared } from '../../support/shared.ts';

// Clients as their documentation shows them, against the real program.

const database = await shared(createTestDatabase());
const id = await insertNotice(database, { title: 'First' });

const gateway = await shared(startGatewayProcess({ DATABASE_URL: database.url, ...PATIENT }));

const NOTICES = 'subscription { notices { title } }';

/** The titles of an event's notices. */
type Shown = readonly string[];

interface Result {
  readonly data?: unknown;
}

const titlesOf = ({ data }: Result): Shown =>
  (data as { notices: readonly { title: string }[] }).notices.map(({ title }) => title);

/** Subscribes. @returns what ends that */
type Subscribe = (endpoint: string, onShown: (shown: Shown) => void) => () => void;

/** https://the-guild.dev/graphql/sse/recipes */
const withGraphqlSse: Subscribe = (url, onShown) => {
  const client = createClient({ url });
  const subscription = client.iterate({ query: NOTICES });
  void (async () => {
    for await (const result of subscription) onShown(titlesOf(result));
  })();
  return () => client.dispose();
};

/** https://developer.mozilla.org/en-US/docs/Web/API/EventSource */
const withEventSource: Subscribe = (url, onShown) => {
  const source = new EventSource(`${url}?${new URLSearchParams({ query: NOTICES })}`);
  source.addEventListener('next', ({ data }) => onShown(titlesOf(JSON.parse(data))));
  return () => source.close();
};

/** https://nearform.com/open-source/urql/docs/advanced/subscriptions/#setting-up-graphql-sse */
const withUrqlAndGraphqlSse: Subscribe = (url, onShown) => {
  const sse = createClient({ url });
  const client = new UrqlClient({
    url,
    preferGetMethod: false,
    exchanges: [
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: (operation) => ({
          subscribe: (sink) => {
            const unsubscribe = sse.subscribe(operation as RequestParams, sink as Sink);
            return { unsubscribe };
          },
        }),
      }),
    ],
  });
  const { unsubscribe } = client.subscription(NOTICES, {}).subscribe((result) => onShown(titlesOf(result)));
  return unsubscribe;
};

/** https://nearform.com/open-source/urql/docs/advanced/subscriptions/#using-fetch-for-subscriptions */
const withUrql: Subscribe = (url, onShown) => {
  const client = new UrqlClient({ url, preferGetMethod: false, fetchSubscriptions: true, exchanges: [fetchExchange] });
  const { unsubscribe } = client.subscription(NOTICES, {}).subscribe((result) => onShown(titlesOf(result)));
  return unsubscribe;
};

describe.each<[name: string, subscribe: Subscribe]>([
  ['graphql-sse', withGraphqlSse],
  ['EventSource', withEventSource],
  ['urql with graphql-sse', withUrqlAndGraphqlSse],
  ['urql by itself', withUrql],
])('%s', (name, subscribe) => {
  test('is shown the list at once and every change, and goes', async () => {
    const shown: Shown[] = [];
    await database.sql('update notice set title = $1 where id = $2', ['First', id]);
    const leave = subscribe(`${gateway.url}/graphql`, (titles) => shown.push(titles));
    await expect.poll(() => shown.at(-1)).toEqual(['First']);
    await database.sql('update notice set title = $1 where id = $2', [name, id]);
    await expect.poll(() => shown.slice(-2)).toEqual([['First'], [name]]);
    leave();
  });
});
