#!/bin/sh
# urql's parser refuses the string "\u{1F600}", which graphql reads
#
# Expected: a document that graphql parses is parsed by @0no-co/graphql.web as well, which urql uses and which
#   offers itself in graphql's place.
# Happens: strings are read with JSON.parse there. JSON has no `\u{...}` (in GraphQL's specification since
#   2025, in graphql since 16), so a SyntaxError of JSON comes up, not a GraphQLError with a place. The same
#   letter as a pair of surrogates is read.
# Matters: graphql prints the emoji itself, so documents that a tool printed work; a hand-written or
#   templated one fails in the browser only, after the server's tests passed.
# Versions: @0no-co/graphql.web 1.3.4, graphql 17.1.0 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> { product(name: "\u{1F600}") }: graphql.web SyntaxError, graphql "😀"
#> { product(name: "\uD83D\uDE00") }: graphql.web "😀", graphql "😀"
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @0no-co/graphql.web@1.3.4 graphql@17.1.0 >&2
cat >find.mjs <<'JS'
import { parse as parseWeb } from '@0no-co/graphql.web';
import { parse } from 'graphql';

const read = (parser, source) => {
  try {
    const [field] = parser(source).definitions[0].selectionSet.selections;
    return JSON.stringify(field.arguments[0].value.value);
  } catch (error) {
    return error.constructor.name;
  }
};
for (const text of ['\\u{1F600}', '\\uD83D\\uDE00']) {
  const source = `{ product(name: "${text}") }`;
  console.log(`${source}: graphql.web ${read(parseWeb, source)}, graphql ${read(parse, source)}`);
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
