#!/usr/bin/env node
// In words that every Node knows, so that one that is too old can say so. In a checkout the sources are run, in the package what they
// were compiled to.
import { existsSync, statSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const sources = new URL('../src/cli.ts', import.meta.url);

// The Node of `npm ci`, on which npm and npx run this program.
const installed = new URL('../node_modules/.bin/node', import.meta.url);

if (major < 22 || major === 23 || (major === 22 && minor < 15)) {
  const advice = existsSync(installed)
    ? `Run "npx vitrine ${process.argv.slice(2).join(' ')}": npx takes the newer one that npm ci has installed`
    : 'https://nodejs.org';
  console.error(
    `Vitrine needs Node.js 22.15 or newer, or 24 or newer, but this is ${process.versions.node}. ${advice}`,
  );
  process.exitCode = 1;
} else {
  // Not by Node's option --env-file-if-exists: it prints a line where there is no file, and workers that start later would read the file again.
  const isWorker = process.env.NODE_UNIQUE_ID !== undefined;
  if (!isWorker && statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile();
  // The cache first: what is in it needs no compiler for TypeScript.
  if (existsSync(sources)) import('../src/compile-cache.js').then(() => import(sources));
  else import('../dist/cli.js');
}
