#!/bin/sh
# A `Float` that is too large is refused as a variable, and as a literal it reaches the resolver as Infinity
#
# Expected: GraphQL's specification (3.5.2) wants a request error for an input that no finite IEEE 754 number
#   represents, and a value in the text to be checked as one in a variable is.
# Happens: for a variable graphql-js asks `Number.isFinite`; a literal goes through `parseFloat` alone, also in
#   lists, input objects and the default value of a variable. Validation is content with it.
# Matters: a resolver that relies on Float being finite gets Infinity from the same operation when a client
#   writes its values into the text: PostgreSQL takes it for a double precision (`weight < 'Infinity'` is every
#   row), JSON.stringify makes null of it, and a cost that is computed from it is no number any more.
# Versions: graphql 16.15.0, 17.1.0 (npm)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 16.15.0 variable: refused
#> 16.15.0 literal: the resolver gets Infinity
#> 16.15.0 negative literal: the resolver gets -Infinity
#> 16.15.0 literal in an input object: the resolver gets Infinity
#> 16.15.0 default value of a variable: the resolver gets Infinity
#> 17.1.0 variable: refused
#> 17.1.0 literal: the resolver gets Infinity
#> 17.1.0 negative literal: the resolver gets -Infinity
#> 17.1.0 literal in an input object: the resolver gets Infinity
#> 17.1.0 default value of a variable: the resolver gets Infinity
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund graphql16@npm:graphql@16.15.0 graphql17@npm:graphql@17.1.0 >&2
cat >find.mjs <<'JS'
for (const name of ['graphql16', 'graphql17']) {
  const { buildSchema, graphqlSync, version } = await import(name);
  const schema = buildSchema('input Filter { max: Float } type Query { lighter(than: Float, filter: Filter): String }');
  const ask = (label, source, variableValues) => {
    let got;
    const rootValue = {
      lighter: ({ than, filter }) => {
        got = than ?? filter.max;
        return 'answered';
      },
    };
    const { data } = graphqlSync({ schema, source, rootValue, variableValues });
    console.log(`${version} ${label}: ${data?.lighter ? `the resolver gets ${got}` : 'refused'}`);
  };
  ask('variable', 'query ($x: Float) { lighter(than: $x) }', JSON.parse('{"x": 1e400}'));
  ask('literal', '{ lighter(than: 1e400) }');
  ask('negative literal', '{ lighter(than: -1e400) }');
  ask('literal in an input object', '{ lighter(filter: { max: 1e400 }) }');
  ask('default value of a variable', 'query ($x: Float = 1e400) { lighter(than: $x) }');
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
