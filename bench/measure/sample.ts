import type { Method } from '../workloads/workload.ts';

/** What one server did in one round of one workload. */
export interface Sample {
  readonly workload: string;
  readonly server: string;
  readonly method: Method;
  readonly round: number;
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server process; undefined where the system does not tell, as all that follow. */
  readonly cpuUsPerRequest: number | undefined;
  /** The part of one core that it had: about 1 when the server itself is what limits. */
  readonly cores: number | undefined;
  readonly postgresUsPerRequest: number | undefined;
  readonly postgresCores: number | undefined;
  readonly rssMb: number | undefined;
}
