import type { Logger } from 'pino';
import {
  type Config,
  faulty,
  readConfig,
  secretsOf,
  unknownClosingVariables,
  unknownVariables,
} from '../config/config.ts';
import { createLog } from '../observability/log.ts';

/**
 * What a command that uses the database begins with: the configuration, and a log that knows its secrets. Logs a warning for each misspelt variable:
 * without it, `DATABSE_URL=… vitrine migrate` would silently migrate the embedded database.
 * @param isServing whether others can call what is started: then a misspelt variable that closes something is a fault
 * @throws OperatorError with one line for each fault
 */
export const readEnvironment = async (
  environment: NodeJS.ProcessEnv,
  isServing = false,
): Promise<{ config: Config; log: Logger }> => {
  const config = readConfig(environment);
  const closing = isServing ? unknownClosingVariables(environment) : [];
  if (closing.length > 0)
    throw faulty(
      closing.map(
        (warning) => `${warning} That one closes something, so nothing is started: correct the name, or remove it.`,
      ),
    );
  const log = await createLog({ level: config.logLevel, secrets: secretsOf(config) });
  for (const warning of unknownVariables(environment)) log.warn(warning);
  return { config, log };
};
