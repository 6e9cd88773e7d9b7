import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../errors.ts';

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

/** The client of a request, by one name for all addresses that a client can easily have. */
export type ClientOf = (request: IncomingMessage) => string;

/**
 * @param trustedHops proxies before us that add to `X-Forwarded-For` the address that they were called from. What stands further left than they have
 * written is what a client says of itself, and counts for nothing. 0: the address of the connection
 */
export const createClientOf =
  (trustedHops: number): ClientOf =>
  (request) => {
    const address = proxyAddr(request, (_, hop) => hop < trustedHops);
    return networkOf(isIP(address) === 0 ? (request.socket.remoteAddress ?? '') : address);
  };

/** Of an IPv6 address, the part that a network is given; a client that has one has all the 2^64 addresses behind it. */
const NETWORK_GROUPS = 4;

const networkOf = (address: string): string => {
  // A connection that was closed meanwhile has no address.
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  return parts
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':');
};
