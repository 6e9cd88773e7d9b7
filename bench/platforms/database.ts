import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { openBrowseDatabase } from '../browse/database.ts';
import { connect, databaseOn } from '../database/kept-database.ts';

export const VENDURE_VERSION = '3.7.3';
const PACKAGES = [`@vendure/core@${VENDURE_VERSION}`, `@vendure/harden-plugin@${VENDURE_VERSION}`, 'pg@8.23.1'];
const FILL = path.join(import.meta.dirname, 'vendure/fill.ts');

/**
 * What both shops can have: categories without a tree, three attributes of few values, and pictures. Brands, tags and numbers would be facets of thousands of
 * values in Vendure, which answers all of them.
 */
const SHARED = `
  update category set parent_id = null where parent_id is not null;
  update product set attributes = attributes - array['Series', 'Weight'], image_url = '/images/' || slug || '.jpg',
    image_urls = array['/images/' || slug || '.jpg', '/images/' || slug || '-b.jpg'] where attributes ? 'Series'`;

interface Options {
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

const run = promisify(execFile);

/** Installs Vendure beside the workspace, for it is only measured. @returns the folder */
export const installVendure = async (parent: string, { log, signal }: Options): Promise<string> => {
  const directory = path.join(parent, `vendure-${VENDURE_VERSION}`);
  if (existsSync(path.join(directory, 'package-lock.json'))) return directory;
  log('installing Vendure…');
  await mkdir(directory, { recursive: true });
  const options = ['--prefix', directory, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  await run('npm', ['install', ...options, ...PACKAGES], { cwd: directory, signal });
  return directory;
};

/** The products as a database of ours. */
export const openSource = async (serverUrl: string, products: number, options: Options) => {
  const database = await openBrowseDatabase(serverUrl, products, options);
  await database.client.query(SHARED);
  return database;
};

/** It tells nobody that it runs. */
export const VENDURE_ENVIRONMENT = { HOST: '127.0.0.1', PORT: '0', VENDURE_DISABLE_TELEMETRY: 'true' };

/** The same products as a database of Vendure: that of an earlier run, or a new one. */
export const fillVendure = async (
  serverUrl: string,
  { packages, sourceUrl, products }: { packages: string; sourceUrl: string; products: number },
  { log, signal }: Options,
): Promise<string> => {
  const name = `vendure_${products}`;
  const unfinished = `${name}_unfinished`;
  const server = await connect(serverUrl);
  const known = await server.query('select from pg_database where datname = $1', [name]);
  if (known.rowCount === 0) {
    log('filling Vendure, which takes minutes…');
    await server.query(`drop database if exists ${unfinished} with (force)`);
    await server.query(`create database ${unfinished}`);
    const urls = { PACKAGES: packages, SOURCE_URL: sourceUrl, DATABASE_URL: databaseOn(serverUrl, unfinished) };
    await run(process.execPath, [FILL], { env: { ...process.env, ...VENDURE_ENVIRONMENT, ...urls }, signal });
    await server.query(`alter database ${unfinished} rename to ${name}`);
  }
  await server.end();
  return databaseOn(serverUrl, name);
};
