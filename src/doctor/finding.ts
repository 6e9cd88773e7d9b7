import type { Config } from '../config/config.ts';
import type { DatabaseClient } from '../database/connection.ts';
import type { CheckedTable } from '../database/migrations/rights.ts';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  /** `fail`: the gateway does not work; `warn`: it works, and something is not as it should be. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it, where it is not ok. */
  readonly remedy?: string;
}

export interface Examined {
  readonly tables: readonly CheckedTable[];
  readonly config: Config;
  readonly url: string;
  /** Connected as the gateway connects. */
  readonly client: DatabaseClient;
  /** How many gateways are to run on this database. */
  readonly instances: number;
}

export type Check = (examined: Examined) => Promise<Finding[]>;

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });

const problem =
  (status: 'warn' | 'fail') =>
  (check: string, message: string, remedy: string): Finding => ({ check, status, message, remedy });

export const warn = problem('warn');

export const fail = problem('fail');
