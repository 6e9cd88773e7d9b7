import { setTimeout as delay } from 'node:timers/promises';
import { createLive } from './subscribe.ts';

/** What has changed: ids, or everything. */
export interface Changes {
  readonly products: readonly number[];
  readonly categories: readonly number[];
  readonly notices: readonly number[];
  readonly everything: boolean;
}

const QUERY = 'subscription { changes { products categories notices everything } }';
const EVERYTHING: Changes = { products: [], categories: [], notices: [], everything: true };

const live = createLive(`${process.env.VITRINE_URL ?? 'http://localhost:4000'}/graphql`, () => ({
  authorization: `Bearer ${process.env.VITRINE_TOKEN}`,
}));

/** @param drop what a cache has of it; called for one event after another, and where it fails, a second later for everything */
export const followChanges = (drop: (changes: Changes) => Promise<void>): void => {
  let dropping = Promise.resolve();

  const dropAll = async (changes: Changes): Promise<void> => {
    try {
      await drop(changes);
    } catch (error) {
      console.error('Not dropped:', error);
      await delay(1000);
      await dropAll(EVERYTHING);
    }
  };

  live<{ changes: Changes }>(
    { query: QUERY },
    {
      next: ({ data }) => {
        if (data) dropping = dropping.then(() => dropAll(data.changes));
      },
      error: (error) => console.error('Refused:', error),
    },
  );
};
