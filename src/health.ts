import type { Pool } from 'pg';
import { withDeadline } from './deadline.ts';
import type { GatewayResponse } from './http/message.ts';
import { jsonResponse } from './http/responses.ts';

export interface Health {
  /** The process answers. */
  readonly live: () => GatewayResponse;
  /** It can serve: the database answers and no shutdown has begun. */
  readonly ready: () => Promise<GatewayResponse>;
  /** From now on it is not ready. */
  readonly startDraining: () => void;
}

const PROBE_TIMEOUT_MS = 1000;

const unready = (reason: string): GatewayResponse =>
  jsonResponse(503, { status: 'unavailable', reason }, { headers: { 'retry-after': '1' } });

export const createHealth = (pool: Pool): Health => {
  let isDraining = false;
  let probing: Promise<unknown> | undefined;

  /** One at a time, however many ask. */
  const probe = (): Promise<unknown> => {
    probing ??= withDeadline(pool.query('select 1'), PROBE_TIMEOUT_MS).finally(() => {
      probing = undefined;
    });
    return probing;
  };

  return {
    live: () => jsonResponse(200, { status: 'ok' }),
    ready: async () => {
      if (isDraining) return unready('shutting down');
      try {
        await probe();
        return jsonResponse(200, { status: 'ok' });
      } catch {
        return unready('the database does not answer');
      }
    },
    startDraining: () => {
      isDraining = true;
    },
  };
};
