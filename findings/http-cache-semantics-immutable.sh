#!/bin/sh
# http-cache-semantics keeps `Cache-Control: immutable` for a thousand days, not for the one it promises
#
# Expected: where an answer is `immutable` and says no age, it is fresh for `immutableMinTimeToLive`: a number
#   of milliseconds, as its documentation says, by default those of 24 hours.
# Happens: the number is used as seconds. So the default is 86,400,000 seconds, which is two years and nine
#   months, and one hour that was set in milliseconds is over 41 days. A heuristic of `Last-Modified` or an
#   `Expires` that is sooner is raised to it. Only `max-age` and `s-maxage` go before it.
# Matters: the caches of got and npm ask this package. Give seconds, or better send `max-age` along.
# Versions: http-cache-semantics 4.3.0 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> immutable: 1000 days
#> immutable, immutableMinTimeToLive of one hour: 41.7 days
#> immutable, Expires in one hour: 1000 days
#> immutable, max-age=3600: 0 days
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund http-cache-semantics@4.3.0 >&2
cat >find.mjs <<'JS'
import CachePolicy from 'http-cache-semantics';

const hour = 3_600_000;
const show = (label, headers, options) => {
  const policy = new CachePolicy({ headers: {}, method: 'GET', url: '/' }, { headers, status: 200 }, options);
  console.log(`${label}: ${Math.round(policy.timeToLive() / hour / 2.4) / 10} days`);
};
const immutable = { 'cache-control': 'public, immutable' };
show('immutable', immutable);
show('immutable, immutableMinTimeToLive of one hour', immutable, { immutableMinTimeToLive: hour });
show('immutable, Expires in one hour', { ...immutable, expires: new Date(Date.now() + hour).toUTCString() });
show('immutable, max-age=3600', { 'cache-control': 'public, max-age=3600, immutable' });
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
