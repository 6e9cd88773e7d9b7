import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'graphql-yoga';
import { OperatorError } from '../errors.ts';

/**
 * Loads the plugins of an operator: a module whose default export is a list of them.
 * @param file from the working directory; undefined for none
 * @throws OperatorError if it cannot be loaded, or is no such module
 */
export const loadPlugins = async (file: string | undefined): Promise<readonly Plugin[]> => {
  if (file === undefined) return [];
  let list: unknown;
  try {
    ({ default: list } = await import(pathToFileURL(path.resolve(file)).href));
  } catch (cause) {
    throw new OperatorError(`GRAPHQL_PLUGINS: ${file} cannot be loaded: ${(cause as Error).message}`, { cause });
  }
  if (!Array.isArray(list) || !list.every((plugin) => typeof plugin === 'object' && plugin !== null)) {
    throw new OperatorError(`GRAPHQL_PLUGINS: the default export of ${file} must be a list of plugins`);
  }
  return list;
};
