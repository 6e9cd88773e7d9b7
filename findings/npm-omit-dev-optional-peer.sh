#!/bin/sh
# npm ci --omit=dev installs a development dependency that a production dependency names as an optional peer
#
# Expected: what only `devDependencies` ask for stays away with `--omit=dev`. An optional peer is used if somebody
#   installs it, and asks for nothing; so immer and react, which zustand may be used with, are not installed.
# Happens: npm marks them `devOptional` in package-lock.json, and leaves those out only where both kinds are omitted.
#   With `--omit=dev` alone both are installed, also where only a workspace asks for them. `--omit=optional` beside
#   it helps, but leaves out true optional dependencies, too.
# Matters: images of servers: a client library whose optional peer is its own command line (a generator, a test
#   runner) brings that, with all of its dependencies, into production. The scanner for advisories sees it, too.
# Versions: npm 11.19.1 and 10.9.4, zustand 5.0.8, immer 10.1.3, react 19.2.0, Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> npm 10.9.4, --omit=dev: immer react zustand
#> npm 10.9.4, --omit=dev --omit=optional: zustand
#> npm 11.19.1, --omit=dev: immer react zustand
#> npm 11.19.1, --omit=dev --omit=optional: zustand
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir shop
cat >shop/package.json <<'JSON'
{
  "private": true,
  "dependencies": { "zustand": "5.0.8" },
  "devDependencies": { "immer": "10.1.3", "react": "19.2.0" }
}
JSON
for version in 10.9.4 11.19.1; do
  npm install --silent --no-audit --no-fund --no-save --prefix "npm-$version" "npm@$version" >&2
  npm_of_version="node $folder/npm-$version/node_modules/npm/bin/npm-cli.js"
  cd shop
  rm -rf node_modules package-lock.json
  $npm_of_version install --silent --no-audit --no-fund >&2
  for omitted in '--omit=dev' '--omit=dev --omit=optional'; do
    # shellcheck disable=SC2086
    $npm_of_version ci $omitted --silent --no-audit --no-fund >&2
    echo "npm $version, $omitted: $(ls node_modules | tr '\n' ' ' | sed 's/ $//')" >>../seen
  done
  cd ..
done
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
