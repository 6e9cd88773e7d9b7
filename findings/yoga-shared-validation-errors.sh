#!/bin/sh
# graphql-yoga hands the very same error objects of an invalid document to every request
#
# Expected: what a plugin writes into the errors of one request (a hint, a time, a count) ends with this
#   request.
# Happens: the result of validation is kept with the document, and what is kept are the GraphQLErrors
#   themselves. The after-hook of `onValidate` meets the objects of the requests before, with all that was
#   added to their `extensions`. Errors of resolvers are new for each request.
# Matters: a test with one request per document never sees it; a client that goes on asking for a field
#   that was removed is answered with longer hints each time. A hook has to make new errors
#   (`setResult`), or `parserAndValidationCache: false` is set, which costs time for every operation.
# Versions: graphql-yoga 5.24.1 with graphql 17.1.0 (also 16.15.0) on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> default: hinted 1, 2, 3 times
#> parserAndValidationCache false: hinted 1, 1, 1 times
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
  const plugin = {
    onValidate() {
      return ({ result }) => {
        for (const { extensions } of result) extensions.hinted = (extensions.hinted ?? 0) + 1;
      };
    },
  };
  const yoga = createYoga({ ...options, logging: false, plugins: [plugin], schema });
  const seen = [];
  for (let request = 0; request < 3; request++) {
    const answer = await yoga.fetch('http://localhost/graphql', {
      body: JSON.stringify({ query: '{ removed }' }),
      headers: { 'Content-Type': 'application/json' },
      method: 'POST',
    });
    const { errors } = await answer.json();
    seen.push(errors[0].extensions.hinted);
  }
  console.log(`${label}: hinted ${seen.join(', ')} times`);
};
await show('default', {});
await show('parserAndValidationCache false', { parserAndValidationCache: false });
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
