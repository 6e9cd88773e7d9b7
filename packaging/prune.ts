/**
 * Deletes from node_modules what packages bring for others, after an installation and before the package is packed: 150 MB. Whatever a later version
 * names otherwise stays where it is.
 */

import { glob, rm } from 'node:fs/promises';
import path from 'node:path';

const NODE_MODULES = path.join(import.meta.dirname, '../node_modules');

const UNUSED = [
  // Prisma compiles queries with a WebAssembly module for each database, each in two sizes and for two module systems.
  '@prisma/client/runtime/*.{cockroachdb,mysql,sqlite,sqlserver}.*',
  '@prisma/client/runtime/query_compiler_fast_*',
  '@prisma/client/runtime/*.wasm-base64.js',
  '@prisma/client/runtime/*.map',
  // The headers of Node, for packages in C++.
  'node/node_modules/*/include',
];

for await (const name of glob(UNUSED, { cwd: NODE_MODULES })) {
  await rm(path.join(NODE_MODULES, name), { recursive: true });
}
