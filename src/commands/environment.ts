import type { Logger } from 'pino';
import { type Config, readConfig, secretsOf, unknownVariables } from '../config/config.ts';
import { createLog } from '../observability/log.ts';

/**
 * What a command that uses the database begins with: the configuration, and a log that knows its secrets. Logs a warning for each misspelt variable:
 * without it, `DATABSE_URL=… vitrine migrate` would silently migrate the embedded database.
 * @throws OperatorError with one line for each fault
 */
export const readEnvironment = async (environment: NodeJS.ProcessEnv): Promise<{ config: Config; log: Logger }> => {
  const config = readConfig(environment);
  const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });
  for (const warning of unknownVariables(environment)) log.warn(warning);
  return { config, log };
};
