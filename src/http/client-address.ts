import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';

/** Who asks, as one name for all addresses that one client can easily have. */
export type ClientOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** Of an IPv6 address, the part that a network is given; whoever has one has all the 2^64 behind it. */
const NETWORK_GROUPS = 4;

/**
 * @param trustedHops proxies before us that add to `X-Forwarded-For` the address that they were called from. What stands further left than they have
 * written is what a client says of itself, and counts for nothing. 0: the address of the connection
 */
export const createClientOf =
  (trustedHops: number): ClientOf =>
  ({ headers, socket }) => {
    const peer = socket.remoteAddress ?? '';
    if (trustedHops === 0) return networkOf(peer);
    const told = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((address) => address.trim())
      .filter(Boolean);
    const seen = told.at(-Math.min(trustedHops, told.length)) ?? '';
    return networkOf(isIP(seen) === 0 ? peer : seen);
  };

const networkOf = (address: string): string => {
  const embedded = address.slice(address.lastIndexOf(':') + 1);
  if (isIPv4(embedded)) return embedded;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...new Array<string>(Math.max(0, zeros)).fill('0'), ...rest];
  return all
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};
