import { pino } from 'pino';
import { type Config, readOptions, secretsOf } from './config/config.ts';
import type { VariableOptions } from './config/gateway-options.ts';
import { applyMigrations } from './database/migrations/apply.ts';
import { createGateway as assemble } from './gateway.ts';
import { createFetchHandler } from './http/fetch.ts';
import { createLog, logOptions } from './observability/log.ts';
import { prepareDatabase } from './serve.ts';

export type { Exposed } from './config/gateway-options.ts';
export { OperatorError } from './errors.ts';

/** What a gateway may be told. */
export interface GatewayOptions extends VariableOptions {
  /** Apply pending migrations to {@link databaseUrl} first. @default false */
  readonly migrate?: boolean | undefined;
  /** Takes the log, a line of JSON at a time, free of secrets. @default standard output */
  readonly log?: { write(line: string): void } | undefined;
  /** Variables as the program reads them, such as `process.env`. An option takes precedence over its variable. @default none */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The gateway without a port: every path that `vitrine serve` answers, as a function. */
export interface Gateway extends AsyncDisposable {
  /**
   * Answers a request, whatever its host. It needs no `this`, and never rejects: a failure is an answer with its status, 503 once {@link close} was
   * called.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The database that is read, which for an embedded one is known only now. It may hold a password. */
  readonly databaseUrl: string;
  /** Lets answers under way finish, then lets go of the database and stops an embedded one. Idempotent. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a gateway, as in `const { fetch } = await createGateway({ databaseUrl })`. Nothing is read from this process's environment (OpenTelemetry's
 * exporter does, where traces are asked for), and no signal handled.
 * @throws OperatorError, whose message says what to do: an option is wrong, the database is not there or lags behind this version, a REST document
 * does not fit, or the file of tokens cannot be used
 */
export const createGateway = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const { migrate, log: stream, environment, ...variables } = options;
  const config = readOptions(variables, environment);
  const log = await logTo(stream, config);
  const database = await prepareDatabase(config, log);
  try {
    if (migrate)
      await applyMigrations({ url: config.databaseDirectUrl ?? database.url, log: (line) => log.info(line) });
    const gateway = await assemble(config, database, log);
    const handler = createFetchHandler(gateway.app);
    let closing: Promise<void> | undefined;
    const finish = async (): Promise<void> => {
      gateway.startDraining();
      await handler.drain(config.shutdownTimeoutMs);
      await gateway.close();
      await database.close();
    };
    const close = (): Promise<void> => {
      closing ??= finish();
      return closing;
    };
    return { fetch: handler.fetch, databaseUrl: database.url, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await database.close();
    throw error;
  }
};

const logTo = async (stream: GatewayOptions['log'], config: Config) => {
  const options = { level: config.logLevel, secrets: secretsOf(config) };
  return stream ? pino(logOptions(options), { write: (line) => stream.write(line) }) : createLog(options);
};
