import { type Config, readConfig } from './config.ts';
import { OperatorError } from './errors.ts';
import type { GatewayOptions } from './gateway-options.ts';

type VariableOption = Exclude<keyof GatewayOptions, 'environment' | 'log' | 'migrate'>;

const VARIABLES: Readonly<Record<VariableOption, string>> = {
  databaseUrl: 'DATABASE_URL',
  databaseDirectUrl: 'DATABASE_DIRECT_URL',
  databaseReplicaUrls: 'DATABASE_REPLICA_URLS',
  databasePoolSize: 'DATABASE_POOL_SIZE',
  databaseTimeoutMs: 'DATABASE_TIMEOUT_MS',
  databaseWaitMs: 'DATABASE_WAIT_MS',
  preparedStatements: 'PREPARED_STATEMENTS',
  dataDir: 'DATA_DIR',
  cacheMaxMb: 'CACHE_MAX_MB',
  freshnessMs: 'FRESHNESS_MS',
  pulse: 'PULSE',
  staleIfErrorS: 'STALE_IF_ERROR_S',
  graphiql: 'GRAPHIQL',
  docs: 'DOCS',
  demo: 'DEMO',
  metrics: 'METRICS',
  introspection: 'INTROSPECTION',
  fieldSuggestions: 'FIELD_SUGGESTIONS',
  queryMaxCost: 'QUERY_MAX_COST',
  queryMaxDepth: 'QUERY_MAX_DEPTH',
  queryMaxFields: 'QUERY_MAX_FIELDS',
  queryMaxTokens: 'QUERY_MAX_TOKENS',
  accessTokens: 'ACCESS_TOKENS',
  accessTokensFile: 'ACCESS_TOKENS_FILE',
  jwksUrl: 'JWKS_URL',
  jwtIssuer: 'JWT_ISSUER',
  jwtAudience: 'JWT_AUDIENCE',
  corsOrigins: 'CORS_ORIGINS',
  restDocuments: 'REST_DOCUMENTS',
  maxInFlight: 'MAX_IN_FLIGHT',
  maxWaitMs: 'MAX_WAIT_MS',
  maxLoopLagMs: 'MAX_LOOP_LAG_MS',
  logLevel: 'LOG_LEVEL',
  logRequests: 'LOG_REQUESTS',
  shutdownTimeoutMs: 'SHUTDOWN_TIMEOUT_MS',
};

const OTHERS: readonly string[] = ['environment', 'log', 'migrate'];

/** @throws OperatorError with one line for each option that is not known or not as it must be */
export const readOptions = (options: GatewayOptions): Config => {
  const unknown = Object.keys(options).filter((name) => !(Object.hasOwn(VARIABLES, name) || OTHERS.includes(name)));
  if (unknown.length > 0) throw new OperatorError(`createGateway has no option ${unknown.join(', ')}.`);
  const given = (Object.keys(VARIABLES) as VariableOption[]).filter((name) => options[name] !== undefined);
  const variables = given.map((name) => [VARIABLES[name], String(options[name])] as const);
  try {
    return readConfig({ LOG_LEVEL: 'warn', ...options.environment, ...Object.fromEntries(variables) });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(inNamesOf(given, error.message), { cause: error });
  }
};

/** A fault as its finder knows it: by the option where one was given. */
const inNamesOf = (given: readonly VariableOption[], message: string): string =>
  given.reduce(
    (text, name) => text.replaceAll(new RegExp(`\\b${VARIABLES[name]}\\b`, 'g'), name),
    message.replace(/^The environment has/, 'createGateway was given'),
  );
