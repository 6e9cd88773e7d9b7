#!/usr/bin/env node
// In words that every Node knows, so that one that is too old can say so. In a checkout the sources are run, in the package what they
// were compiled to.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
const sources = new URL('../src/cli.ts', import.meta.url);

if (major < 22 || major === 23 || (major === 22 && minor < 15)) {
  console.error(
    `Vitrine needs Node.js 22.15 or newer, or 24 or newer, but this is ${process.versions.node}: https://nodejs.org`,
  );
  process.exitCode = 1;
} else {
  import(existsSync(sources) ? sources : new URL('../dist/cli.js', import.meta.url));
}
