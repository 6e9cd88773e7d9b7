#!/bin/sh
# A package that is one major behind in one range makes npm install the newer one once for each of the others
#
# Expected: where graphql-yoga asks for `@graphql-tools/utils` ^11 and three packages below it ask for ^12, there are
#   two copies: one of each major, as deduplication has it.
# Happens: the nearest to the root has the one place at the top, which is the 11 of graphql-yoga; each of the three gets
#   a 12.1.0 of its own in its `node_modules`, byte for byte the same. `npm dedupe` changes nothing. Node loads all
#   four, because to it they are different files: a third of all that `import 'graphql-yoga'` reads.
# Matters: 185 files are read for nothing at each start (a tenth of the CPU time of ours), and what is compared by
#   identity or kept in a module is there four times. One line of `overrides` leaves one copy; a lockfile that is there
#   already keeps the others until their entries are deleted.
# Versions: npm 11.19.1, graphql-yoga 5.24.1 with graphql 17.1.0, everything else as of 2026-11-29, on Node 20.20.2
# Seen on 2026-11-29 (the script compares the lines after `#>` with what it prints):
#> copies: @graphql-tools/executor 12.1.0, @graphql-tools/merge 12.1.0, @graphql-tools/schema 12.1.0, the root 11.2.2
#> files loaded of them: 249
#> after npm dedupe: 4 copies
#> with overrides: 1 copies, files loaded: 64
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >count.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';

const NAME = '@graphql-tools/utils';
const holders = ['', '@graphql-tools/executor/', '@graphql-tools/merge/', '@graphql-tools/schema/'];
export const copies = holders.flatMap((holder) => {
  const file = `node_modules/${holder}${holder && 'node_modules/'}${NAME}/package.json`;
  try {
    return [`${holder.slice(0, -1) || 'the root'} ${JSON.parse(readFileSync(file, 'utf8')).version}`];
  } catch {
    return [];
  }
}).sort();
// Coverage names each file that was loaded.
execFileSync(process.execPath, ['--input-type=module', '-e', `import 'graphql-yoga'`], { env: { ...process.env, NODE_V8_COVERAGE: 'coverage' } });
const loaded = readdirSync('coverage').flatMap((name) => JSON.parse(readFileSync(`coverage/${name}`, 'utf8')).result);
rmSync('coverage', { recursive: true });
export const files = loaded.filter(({ url }) => url.includes(`${NAME}/`)).length;
JS
npm install --silent --no-audit --no-fund --before 2026-11-29 graphql@17.1.0 graphql-yoga@5.24.1 >&2
{
  node --input-type=module -e "import { copies, files } from './count.mjs'; console.log('copies: ' + copies.join(', ') + '\nfiles loaded of them: ' + files)"
  npm dedupe --silent --no-audit --no-fund --before 2026-11-29 >&2
  node --input-type=module -e "import { copies } from './count.mjs'; console.log('after npm dedupe: ' + copies.length + ' copies')"
  rm -rf node_modules package-lock.json
  npm pkg set 'overrides[@graphql-tools/utils]=12.1.0'
  npm install --silent --no-audit --no-fund --before 2026-11-29 >&2
  node --input-type=module -e "import { copies, files } from './count.mjs'; console.log('with overrides: ' + copies.length + ' copies, files loaded: ' + files)"
} >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
