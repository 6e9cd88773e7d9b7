#!/bin/sh
# graphql-yoga calls the hook after parsing for the first request with a syntax error, and for no other
#
# Expected: a function that `onParse` returns is called after each parse, with the document or the error:
#   that is how Envelop's plugins measure and count.
# Happens: the parser's cache keeps errors as well, and throws a kept one again from a parser that it has
#   put in by `setParseFn`. A first failure is caught and given to the hooks, a repeated one isn't: the part
#   of `onParse` before the parse runs each time, the part after it once. Of a document that is right
#   both run each time, from the cache or not.
# Matters: a timer that starts before and stops after is left running, a count of syntax errors stays at
#   one while a client sends the same broken text all day. `parserAndValidationCache: false` helps.
# Versions: graphql-yoga 5.24.1 with graphql 17.1.0 (also 16.15.0) on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> default: "{ name }" before 3, after 3; "{ name" before 3, after 1
#> parserAndValidationCache false: "{ name }" before 3, after 3; "{ name" before 3, after 3
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund graphql@17.1.0 graphql-yoga@5.24.1 >&2
cat >find.mjs <<'JS'
import { createSchema, createYoga } from 'graphql-yoga';

const schema = createSchema({ typeDefs: 'type Query { name: String }' });
const show = async (label, options) => {
  const count = { after: 0, before: 0 };
  const plugin = {
    onParse() {
      count.before++;
      return () => {
        count.after++;
      };
    },
  };
  const yoga = createYoga({ ...options, logging: false, plugins: [plugin], schema });
  const seen = [];
  for (const query of ['{ name }', '{ name']) {
    count.after = count.before = 0;
    for (let request = 0; request < 3; request++) {
      const answer = await yoga.fetch('http://localhost/graphql', {
        body: JSON.stringify({ query }),
        headers: { 'Content-Type': 'application/json' },
        method: 'POST',
      });
      await answer.text();
    }
    seen.push(`${JSON.stringify(query)} before ${count.before}, after ${count.after}`);
  }
  console.log(`${label}: ${seen.join('; ')}`);
};
await show('default', {});
await show('parserAndValidationCache false', { parserAndValidationCache: false });
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
