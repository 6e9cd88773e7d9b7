import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';

export type RateLimit = ReturnType<typeof createRateLimit>;

const WINDOW_S = 60;

/**
 * Each process counts for itself: behind a balancer, the limit is for each instance.
 * @param maxClients the number of clients that are counted; past it, the least recent are forgotten
 */
export const createRateLimit = (
  { rateLimitPerMinute: perMinute, trustProxy }: Pick<Config, 'rateLimitPerMinute' | 'trustProxy'>,
  maxClients = 100_000,
) => {
  const windows = new LRUCache<string, { requests: number; readonly endsMs: number }>({ max: maxClients });

  return (request: IncomingMessage) => {
    const client = clientOf(request, trustProxy);
    // Whole milliseconds: 60.000000001 s would be told as 61.
    const nowMs = Math.floor(performance.now());
    let window = windows.get(client);
    if (!window || nowMs >= window.endsMs) {
      window = { requests: 0, endsMs: nowMs + WINDOW_S * 1000 };
      windows.set(client, window);
    }
    window.requests += 1;
    const seconds = Math.max(1, Math.ceil((window.endsMs - nowMs) / 1000));
    return {
      /** What is left to the client: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 */
      headers: new Headers({
        'ratelimit-policy': `"default";q=${perMinute};w=${WINDOW_S}`,
        ratelimit: `"default";r=${Math.max(0, perMinute - window.requests)};t=${seconds}`,
      }),
      refusal:
        window.requests <= perMinute
          ? undefined
          : new AppError('TOO_MANY_REQUESTS', `A client may ask at most ${perMinute} times a minute.`, {
              headers: { 'retry-after': String(seconds) },
            }),
    };
  };
};

/**
 * The client of a request: one name for all the addresses that a client easily gets.
 * @param trustedHops proxies before us that append to `X-Forwarded-For` the address that they were called from. Addresses further left are
 * the client's own claim, and are ignored. 0: the address of the connection
 */
export const clientOf = (request: IncomingMessage, trustedHops: number): string => {
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
