import type { Plugin } from 'graphql-yoga';
import { pino } from 'pino';
import { readOptions } from './config/config.ts';
import type { VariableOptions } from './config/gateway-options.ts';
import { applyMigrations } from './database/migrations/apply.ts';
import { createGateway as assemble } from './gateway.ts';
import { createFetchHandler } from './http/fetch.ts';
import { memo } from './memo.ts';
import { createLog, logOptions } from './observability/log.ts';
import { prepareDatabase } from './serve.ts';

export type { Exposed } from './config/gateway-options.ts';
export { OperatorError } from './errors.ts';

/** Options of a gateway. */
export interface GatewayOptions extends VariableOptions {
  /** Apply pending migrations to {@link databaseUrl} first. @default false */
  readonly migrate?: boolean | undefined;
  /**
   * Plugins of Yoga or Envelop (the type `Plugin` of `graphql-yoga`, whose declarations are not needed for the rest). With them each
   * operation is executed for its own caller, unless `pluginsShareAnswers`.
   * @default none
   */
  readonly plugins?: readonly object[] | undefined;
  /** Receives the log, one line of JSON at a time, without secrets. @default standard output */
  readonly log?: { write(line: string): void } | undefined;
  /** Environment variables, such as `process.env`. An option takes precedence over its variable. @default none */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The gateway without a port: every path that `vitrine serve` answers, as a function. */
export interface Gateway extends AsyncDisposable {
  /**
   * Answers a request, whatever its host. It needs no `this` and never rejects: a failure is a response, 503 after {@link close}.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The URL of the database, also of an embedded one. It may hold a password. */
  readonly databaseUrl: string;
  /** Waits for requests in flight, then closes the connections to the database and stops an embedded one. Idempotent. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a gateway, as in `const { fetch } = await createGateway({ databaseUrl })`. It reads no environment variable (only OpenTelemetry's
 * exporter does, if traces are on) and handles no signal.
 * @throws OperatorError, whose message says what to do: an option is wrong, the database cannot be reached or needs a migration, or a REST document
 * does not fit the schema
 */
export const createGateway = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const { migrate, log: stream, environment, plugins, ...variables } = options;
  const config = readOptions(variables, environment);
  const log = stream ? pino(logOptions(config), { write: (line) => stream.write(line) }) : await createLog(config);
  const database = await prepareDatabase(config, log);
  try {
    if (migrate)
      await applyMigrations({ url: config.databaseDirectUrl ?? database.url, log: (line) => log.info(line) });
    const gateway = await assemble(config, database.url, log, {
      plugins: plugins as readonly Plugin[] | undefined,
    });
    const handler = createFetchHandler(gateway.app);
    const finish = memo(async (): Promise<void> => {
      gateway.startDraining();
      gateway.completeSubscriptions();
      await handler.drain(config.shutdownTimeoutMs);
      await gateway.close().finally(database.close);
    });
    // A signal would give it an argument.
    const close = (): Promise<void> => finish();
    return { fetch: handler.fetch, databaseUrl: database.url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await database.close();
    throw error;
  }
};
