#!/bin/sh
# One `=` in a value of OTEL_RESOURCE_ATTRIBUTES discards all of them, the name of the service too; in
# OTEL_EXPORTER_OTLP_HEADERS it is part of the value
#
# Expected: both variables are lists of `key=value` with commas between; `build=YWJj==` and `authorization=Basic YWJj==`
#   are read alike, as W3C Baggage reads them, whose form both have: `=` may stand in a value.
# Happens: the header is sent with its two signs. The attributes are not read at all: the process has no
#   `service.name`, and only the log of OpenTelemetry at the level of debugging says so. Its specification asks for
#   `%3D` there, and to drop everything where there is an error.
# Matters: a pipeline that adds the digest of an image, or a label with base64, to the attributes turns the traces of
#   all services into those of "unknown_service", while they are sent and accepted as before.
# Versions: @opentelemetry/resources and @opentelemetry/core 2.12.1 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> attributes "service.name=shop,build=YWJj": {"service.name":"shop","build":"YWJj"}
#> attributes "service.name=shop,build=YWJj==": {}
#> attributes "service.name=shop,build=YWJj%3D%3D": {"service.name":"shop","build":"YWJj=="}
#> headers "x-tenant=shop,authorization=Basic YWJj==": {"x-tenant":"shop","authorization":"Basic YWJj=="}
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund @opentelemetry/api@1.9.1 @opentelemetry/resources@2.12.1 @opentelemetry/core@2.12.1 >&2
cat >find.mjs <<'JS'
import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { detectResources, envDetector } from '@opentelemetry/resources';

for (const list of ['service.name=shop,build=YWJj', 'service.name=shop,build=YWJj==', 'service.name=shop,build=YWJj%3D%3D']) {
  process.env.OTEL_RESOURCE_ATTRIBUTES = list;
  const { attributes } = detectResources({ detectors: [envDetector] });
  console.log(`attributes ${JSON.stringify(list)}: ${JSON.stringify(attributes)}`);
}
const headers = 'x-tenant=shop,authorization=Basic YWJj==';
console.log(`headers ${JSON.stringify(headers)}: ${JSON.stringify(parseKeyPairsIntoRecord(headers))}`);
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
