import type { Logger } from 'pino';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { createRequestCounts, type RequestCounts } from './request-counts.ts';
import { createRequestLog } from './request-log.ts';
import { createStatementCounts, type StatementCounts } from './statement-counts.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';
import { createWatch, type Watch } from './watch.ts';

/** What sees to it that the gateway can be watched. */
export interface Observability {
  readonly version: string;
  readonly requests: RequestCounts;
  readonly statements: StatementCounts;
  readonly tracing: Tracing;
  readonly watch: Watch;
}

export const createObservability = async (
  { exposure, logRequests, tracing: tracingConfig }: Pick<Config, 'exposure' | 'logRequests' | 'tracing'>,
  log: Logger,
): Promise<Observability> => {
  const { version } = packageJson;
  const requests = createRequestCounts();
  const statements = createStatementCounts();
  const tracing = tracingConfig
    ? (await import('./opentelemetry.ts')).createOpentelemetry(tracingConfig, version, log)
    : NO_TRACING;
  const watch = createWatch({
    requests,
    statements,
    isCounting: exposure.metrics !== 'off',
    logRequest: createRequestLog(log, logRequests),
    logsRecalled: logRequests === 'all',
    tracing,
  });
  return { version, requests, statements, tracing, watch };
};
