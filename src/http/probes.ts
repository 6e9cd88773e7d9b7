import type { Pool } from 'pg';
import type { Exposure } from '../access/access.ts';
import { withDeadline } from '../deadline.ts';
import type { CountedAs } from '../observability/counts.ts';
import type { Metrics } from '../observability/metrics.ts';
import { type GatewayResponse, jsonResponse } from './message.ts';
import { type ResponseRoute, responseRoute } from './route.ts';

interface Deps {
  readonly pool: Pool;
  readonly metrics: Metrics;
  readonly exposure: Exposure;
  /** Whether something is still to be filled before requests are wanted. */
  readonly isFilling: () => boolean;
}

const PROBE_TIMEOUT_MS = 1000;

const HEALTH: CountedAs = ['other', 'health'];

const unready = (reason: string): GatewayResponse =>
  jsonResponse(503, { status: 'unavailable', reason }, { 'retry-after': '1' });

/** `/livez`, `/readyz` and `/metrics`, for what monitors the process. */
export const createProbes = ({ pool, metrics, exposure, isFilling }: Deps) => {
  let isDraining = false;
  let probing: Promise<unknown> | undefined;

  /** One at a time: requests share it. */
  const probe = (): Promise<unknown> => {
    probing ??= withDeadline(pool.query('select 1'), PROBE_TIMEOUT_MS).finally(() => {
      probing = undefined;
    });
    return probing;
  };

  /** 200 while the database answers and no shutdown has begun; with READY_WHEN_INDEXED, once the index of products is filled. */
  const readiness = async (): Promise<GatewayResponse> => {
    if (isDraining) return unready('shutting down');
    try {
      await probe();
      if (isFilling()) return unready('the index of products is being filled');
      return jsonResponse(200, { status: 'ok' });
    } catch {
      return unready('the database does not answer');
    }
  };

  /** https://prometheus.io/docs/instrumenting/exposition_formats/ */
  const scrape = async (): Promise<GatewayResponse> => {
    const { contentType, body } = await metrics.page();
    return { status: 200, headers: { 'content-type': contentType, 'cache-control': 'no-store' }, body };
  };

  const routes = new Map([
    ['/livez', responseRoute(() => jsonResponse(200, { status: 'ok' }), 'on', HEALTH)],
    ['/readyz', responseRoute(readiness, 'on', HEALTH)],
    ['/metrics', responseRoute(scrape, exposure, ['other', 'metrics'])],
  ]);

  return {
    find: (path: string): ResponseRoute | undefined => routes.get(path),
    /** From now on `/readyz` answers 503. */
    startDraining: (): void => {
      isDraining = true;
    },
  };
};
