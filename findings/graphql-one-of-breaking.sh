#!/bin/sh
# graphql's findBreakingChanges sees no change where an input type becomes `@oneOf`
#
# Expected: after `input ProductBy @oneOf { id: ID sku: ID }` a request with both fields, with none, or with a null is
#   refused, all of which were fine without the directive. That is the kind of change that `findBreakingChanges` is for: it
#   reports one when an optional field becomes required.
# Happens: neither `findBreakingChanges` nor `findDangerousChanges` nor graphql 17's `findSchemaChanges`, which lists safe
#   ones too, has an entry: the list is empty, as for two equal schemas. @graphql-inspector/core calls it breaking.
# Matters: a check in CI that compares the schema with the one in production lets the change through, and clients
#   that send `{ id: "1", sku: null }` are refused from then on.
# Versions: graphql 16.15.0 and 17.1.0, @graphql-inspector/core 8.0.0 on Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 16.15.0, id is required: breaking 1, dangerous 0; refused before: none, after: { }
#> 16.15.0, @oneOf is added: breaking 0, dangerous 0; refused before: none, after: { id: "1", sku: "A" } { id: "1", sku: null } { }
#> 17.1.0, id is required: breaking 1, dangerous 0, changes at all 1; refused before: none, after: { }
#> 17.1.0, @oneOf is added: breaking 0, dangerous 0, changes at all 0; refused before: none, after: { id: "1", sku: "A" } { id: "1", sku: null } { }
#> inspector, id is required: INPUT_FIELD_TYPE_CHANGED BREAKING
#> inspector, @oneOf is added: DIRECTIVE_USAGE_INPUT_OBJECT_ADDED BREAKING
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --legacy-peer-deps graphql@16.15.0 graphql-17@npm:graphql@17.1.0 \
  @graphql-inspector/core@8.0.0 >&2
cat >find.mjs <<'JS'
import { diff } from '@graphql-inspector/core';
import * as graphql16 from 'graphql';
import * as graphql17 from 'graphql-17';

const sdl = (directive, id) => `input ProductBy ${directive} { id: ${id} sku: ID }
  type Query { product(by: ProductBy!): String }`;
const plain = sdl('', 'ID');
const changes = { 'id is required': sdl('', 'ID!'), '@oneOf is added': sdl('@oneOf', 'ID') };
const requests = ['{ id: "1", sku: "A" }', '{ id: "1", sku: null }', '{ }', '{ id: "1" }'];
for (const [version, graphql] of Object.entries({ '16.15.0': graphql16, '17.1.0': graphql17 })) {
  const { buildSchema, findBreakingChanges, findDangerousChanges, findSchemaChanges, parse, validate } = graphql;
  for (const [label, changed] of Object.entries(changes)) {
    const schemas = [buildSchema(plain), buildSchema(changed)];
    const counts = [`breaking ${findBreakingChanges(...schemas).length}`, `dangerous ${findDangerousChanges(...schemas).length}`];
    if (findSchemaChanges) counts.push(`changes at all ${findSchemaChanges(...schemas).length}`);
    const refused = (schema) => requests.filter((by) => validate(schema, parse(`{ product(by: ${by}) }`)).length > 0);
    console.log(`${version}, ${label}: ${counts.join(', ')}; refused before: ${refused(schemas[0]).join(' ') || 'none'}, after: ${refused(schemas[1]).join(' ')}`);
  }
}
for (const [label, changed] of Object.entries(changes)) {
  const found = await diff(graphql16.buildSchema(plain), graphql16.buildSchema(changed));
  console.log(`inspector, ${label}: ${found.map(({ type, criticality }) => `${type} ${criticality.level}`).join(', ') || 'nothing'}`);
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
