#!/bin/sh
# `import … from 'node:http'` also loads Node's fetch, WebSocket and HTTP client (undici), and `require` does not
#
# Expected: the two forms load the same module. What one does not name is not loaded: `WebSocket`,
#   `CloseEvent` and `MessageEvent` of `node:http` are getters, so that they cost nothing before they are used.
# Happens: a module of Node's own is given to ES modules as a set of named exports, and whoever imports any of them, or
#   none, has all getters read to fill that set. From Node 22 on, where `node:http` has those of WebSocket, this
#   loads undici: some 12 MB of memory and 40 ms in a process that never fetches, as 58 MB in place of 44.
# Matters: small services, sidecars, functions that start for each event, and every worker that imports a server. One
#   `import` in any package of the tree is enough. `process.getBuiltinModule('node:http')` and `createRequire` do
#   not load it. Bundling to CommonJS halves such a start for a reason that no profile of one's own code shows.
# Versions: Node 20.20.2, 22.15.0, 24.21.0 and 26.10.0 (npm)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 20.20.2: require false, import false
#> 22.15.0: require false, getBuiltinModule false, import true, import of nothing true
#> 24.21.0: require false, getBuiltinModule false, import true, import of nothing true
#> 26.10.0: require false, getBuiltinModule false, import true, import of nothing true
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
loads='console.log(process.moduleLoadList.includes("NativeModule internal/deps/undici/undici"))'
echo "const http = require('node:http'); http.createServer(); $loads" >require.cjs
echo "const http = process.getBuiltinModule('node:http'); http.createServer(); $loads" >builtin.mjs
echo "import { createServer } from 'node:http'; createServer(); $loads" >import.mjs
echo "import 'node:http'; $loads" >nothing.mjs
for version in 20.20.2 22.15.0 24.21.0 26.10.0; do
  npm install --prefix "$folder/$version" --silent --no-audit --no-fund "node@$version" >&2
  node="$folder/$version/node_modules/.bin/node"
  printf '%s: require %s, ' "$version" "$("$node" require.cjs)"
  if [ "$version" = 20.20.2 ]; then
    echo "import $("$node" import.mjs)"
  else
    echo "getBuiltinModule $("$node" builtin.mjs), import $("$node" import.mjs), import of nothing $("$node" nothing.mjs)"
  fi
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
