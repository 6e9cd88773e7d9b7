#!/bin/sh
# In two places of graphql-yoga a GraphQLError that a hook throws is an answer, in three the request rejects
#
# Expected: `throw new GraphQLError(text, { extensions: { http: { status: 401 } } })` in a plugin is answered
#   with 401 and the text, wherever the plugin throws it; anything else is a masked 500 (Yoga's documentation
#   of error masking).
# Happens: so it is in `onRequestParse`, `onParams`, `onParse`, `onValidate`, `onContextBuilding` and
#   `onExecute`. In `onRequest`, `onResultProcess` and `onResponse` the promise of `yoga.fetch` is rejected with
#   the error: no status, no text, no mask, no line in Yoga's log.
# Matters: a check of tokens that moves from `onParams` to `onRequest`, to be earlier, turns its 401 into
#   whatever the server around Yoga makes of a rejection: Node's adapter answers 500, a worker's runtime cuts
#   the connection. Answer by `endResponse` there.
# Versions: graphql-yoga 5.24.1 with graphql 17.1.0 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> onRequest: rejected with GraphQLError
#> onRequestParse: 401 {"errors":[{"message":"a token is missing"}]}
#> onParams: 401 {"errors":[{"message":"a token is missing"}]}
#> onParse: 401 {"errors":[{"message":"a token is missing"}]}
#> onValidate: 401 {"errors":[{"message":"a token is missing"}]}
#> onContextBuilding: 401 {"errors":[{"message":"a token is missing"}]}
#> onExecute: 401 {"errors":[{"message":"a token is missing"}]}
#> onResultProcess: rejected with GraphQLError
#> onResponse: rejected with GraphQLError
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund graphql@17.1.0 graphql-yoga@5.24.1 >&2
cat >find.mjs <<'JS'
import { GraphQLError } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';

const schema = createSchema({ typeDefs: 'type Query { name: String }' });
const hooks = [
  ...['onRequest', 'onRequestParse', 'onParams', 'onParse', 'onValidate'],
  ...['onContextBuilding', 'onExecute', 'onResultProcess', 'onResponse'],
];
for (const hook of hooks) {
  const plugin = {
    [hook]() {
      throw new GraphQLError('a token is missing', { extensions: { http: { status: 401 } } });
    },
  };
  const yoga = createYoga({ logging: false, plugins: [plugin], schema });
  const ask = async () =>
    yoga.fetch('http://localhost/graphql', {
      body: '{"query":"{ name }"}',
      headers: { accept: 'application/graphql-response+json', 'content-type': 'application/json' },
      method: 'POST',
    });
  const answer = await ask().then(async (response) => `${response.status} ${await response.text()}`, (error) => `rejected with ${error.name}`);
  console.log(`${hook}: ${answer}`);
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
