#!/bin/sh
# The MCP server answers `Accept: */*` with 406 in last year's revisions and with 200 in this year's
#
# Expected: `Accept: */*`, which curl and the `fetch` of Node and browsers send, takes whatever a server has (RFC 9110).
#   The server looks at the header by one rule, and a server that keeps no session and answers one request with one
#   result sends that as JSON.
# Happens: requests of the revisions up to 2025-11-25, which `createMcpHandler` serves too, are looked at for the two
#   texts `application/json` and `text/event-stream`. Without both it is 406, with `*/*` or `text/*` as well; a type
#   with `q=0`, which is refused by that, counts as accepted. What comes is an event stream of one event. Requests of
#   2026-07-28 get JSON, whatever the header says.
# Matters: the check of a new endpoint by curl fails before any tool runs, and a test that was written with the new
#   revision's headers says nothing of the clients in use, which speak the old one.
# Versions: @modelcontextprotocol/server 2.4.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 2025-11-25, accept: */*: 406 application/json
#> 2025-11-25, accept: application/json, text/*: 406 application/json
#> 2025-11-25, accept: application/json;q=0, text/event-stream: 200 text/event-stream
#> 2025-11-25, accept: application/json, text/event-stream: 200 text/event-stream
#> 2026-07-28, accept: */*: 200 application/json
#> 2026-07-28, accept: application/json, text/*: 200 application/json
#> 2026-07-28, accept: application/json;q=0, text/event-stream: 200 application/json
#> 2026-07-28, accept: application/json, text/event-stream: 200 application/json
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/server@2.4.0 >&2
cat >find.mjs <<'JS'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('opening_hours', {}, () => ({ content: [{ type: 'text', text: 'from 9 to 5' }] }));
  return server;
});
const name = 'opening_hours';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const revisions = {
  '2025-11-25': { headers: {}, params: { name, arguments: {} } },
  '2026-07-28': { headers: { 'mcp-method': 'tools/call', 'mcp-name': name }, params: { name, arguments: {}, _meta } },
};
for (const [revision, { headers, params }] of Object.entries(revisions)) {
  for (const accept of ['*/*', 'application/json, text/*', 'application/json;q=0, text/event-stream', 'application/json, text/event-stream']) {
    const response = await handler.fetch(
      new Request('http://shop.test/mcp', {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', 'mcp-protocol-version': revision, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    );
    console.log(`${revision}, accept: ${accept}: ${response.status} ${response.headers.get('content-type')}`);
  }
}
await handler.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
