import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';
import type { ClientOf } from './client-address.ts';

/** Counts a request of a client. Gives the refusal of one that is past the limit. */
export type RateLimit = (request: IncomingMessage) => Promise<AppError | undefined>;

interface Options {
  readonly perMinute: number;
  readonly clientOf: ClientOf;
  /** So many clients are remembered; of those who have been away for longest, what they asked is forgotten. @default 100000 */
  readonly maxClients?: number;
}

/** By each process for itself: behind a balancer, a client may ask as often as there are instances. */
export const createRateLimit = ({ perMinute, clientOf, maxClients = 100_000 }: Options): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  // The limiter itself remembers everybody for a minute, and there are as many addresses as an attacker likes.
  const clients = new LRUCache<string, true>({
    max: maxClients,
    dispose: (_, client) => void limiter.delete(client),
    noDisposeOnSet: true,
  });

  return async (request) => {
    const client = clientOf(request);
    clients.set(client, true);
    try {
      await limiter.consume(client);
      return undefined;
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      const seconds = Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
      return new AppError('TOO_MANY_REQUESTS', `A client may ask ${perMinute} times a minute.`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
  };
};
