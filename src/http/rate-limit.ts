import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';

export type RateLimit = (request: IncomingMessage) => Promise<Counted>;

interface Counted {
  /** What is left to the client: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 */
  readonly headers: Headers;
  readonly refusal: AppError | undefined;
}

interface Options {
  readonly perMinute: number;
  readonly clientOf: ClientOf;
  /** The number of clients that are counted; past it, the least recent are forgotten. @default 100000 */
  readonly maxClients?: number;
}

/** Each process counts for itself: behind a balancer, the limit is for each instance. */
export const createRateLimit = ({ perMinute, clientOf, maxClients = 100_000 }: Options): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_S });
  // The limiter itself keeps every client for a minute, and an attacker may have any number of addresses.
  const clients = new LRUCache<string, true>({
    max: maxClients,
    dispose: (_, client) => void limiter.delete(client),
    noDisposeOnSet: true,
  });

  const consume = async (client: string): Promise<[RateLimiterRes, isWithin: boolean]> => {
    try {
      return [await limiter.consume(client), true];
    } catch (rejection) {
      if (!(rejection instanceof RateLimiterRes)) throw rejection;
      return [rejection, false];
    }
  };

  return async (request) => {
    const client = clientOf(request);
    clients.set(client, true);
    const [{ msBeforeNext, remainingPoints }, isWithin] = await consume(client);
    const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    return {
      headers: new Headers({
        'ratelimit-policy': `"default";q=${perMinute};w=${WINDOW_S}`,
        ratelimit: `"default";r=${remainingPoints};t=${seconds}`,
      }),
      refusal: isWithin
        ? undefined
        : new AppError('TOO_MANY_REQUESTS', `A client may ask ${perMinute} times a minute.`, {
            headers: { 'retry-after': String(seconds) },
          }),
    };
  };
};

const WINDOW_S = 60;

/** The client of a request: one name for all the addresses that a client easily gets. */
export type ClientOf = (request: IncomingMessage) => string;

/**
 * @param trustedHops proxies before us that append to `X-Forwarded-For` the address that they were called from. Addresses further left are
 * the client's own claim, and are ignored. 0: the address of the connection
 */
export const createClientOf =
  (trustedHops: number): ClientOf =>
  (request) => {
    const address = proxyAddr(request, (_, hop) => hop < trustedHops);
    return networkOf(isIP(address) === 0 ? (request.socket.remoteAddress ?? '') : address);
  };

/** The groups of an IPv6 address that name a network: a client has all the 2^64 addresses of its network. */
const NETWORK_GROUPS = 4;

const networkOf = (address: string): string => {
  // A connection that has been closed has no address.
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return parsed.toNormalizedString().split(':').slice(0, NETWORK_GROUPS).join(':');
};
