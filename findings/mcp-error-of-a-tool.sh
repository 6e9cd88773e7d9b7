#!/bin/sh
# A ProtocolError keeps its code and data in a resource and a prompt of the MCP server, not in a tool; -32002 nowhere
#
# Expected: `throw new ProtocolError(code, message, data)` is how a handler says which JSON-RPC error the client gets.
# Happens: `McpServer` does that for resources and prompts. In a tool every error becomes a result with `isError` and
#   the message as text; code and data are gone. The `Server` below it keeps them in a tool also. The code -32002,
#   "resource not found" in the revisions up to 2025-11-25, goes out as -32602 in all of them, to a client of 2025 too.
# Matters: a client that decides by the code (ask the user, wait and try again, give up) sees a tool that has worked.
#   What belongs to `data`, such as the fields that are wrong, never arrives; the tool has to return
#   `isError` with `structuredContent` itself.
# Versions: @modelcontextprotocol/server 2.4.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> -32050 in McpServer, tools/call: {"result":{"content":[{"type":"text","text":"Not here"}],"isError":true}}
#> -32050 in McpServer, resources/read: {"error":{"code":-32050,"message":"Not here","data":{"sku":"A"}}}
#> -32050 in McpServer, prompts/get: {"error":{"code":-32050,"message":"Not here","data":{"sku":"A"}}}
#> -32050 in Server, tools/call: {"error":{"code":-32050,"message":"Not here","data":{"sku":"A"}}}
#> -32050 in Server, resources/read: {"error":{"code":-32050,"message":"Not here","data":{"sku":"A"}}}
#> -32050 in Server, prompts/get: {"error":{"code":-32050,"message":"Not here","data":{"sku":"A"}}}
#> -32002 in McpServer, tools/call: {"result":{"content":[{"type":"text","text":"Not here"}],"isError":true}}
#> -32002 in McpServer, resources/read: {"error":{"code":-32602,"message":"Not here","data":{"sku":"A"}}}
#> -32002 in McpServer, prompts/get: {"error":{"code":-32602,"message":"Not here","data":{"sku":"A"}}}
#> -32002 in Server, tools/call: {"error":{"code":-32602,"message":"Not here","data":{"sku":"A"}}}
#> -32002 in Server, resources/read: {"error":{"code":-32602,"message":"Not here","data":{"sku":"A"}}}
#> -32002 in Server, prompts/get: {"error":{"code":-32602,"message":"Not here","data":{"sku":"A"}}}
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/server@2.4.0 >&2
cat >find.mjs <<'JS'
import { createMcpHandler, McpServer, ProtocolError, Server } from '@modelcontextprotocol/server';

const info = { name: 'shop', version: '1.0.0' };
const asks = {
  'tools/call': { name: 'product' },
  'resources/read': { uri: 'shop://product' },
  'prompts/get': { name: 'product' },
};
const makers = {
  McpServer: (fail) => {
    const server = new McpServer(info);
    server.registerTool('product', {}, fail);
    server.registerResource('product', 'shop://product', {}, fail);
    server.registerPrompt('product', {}, fail);
    return server;
  },
  Server: (fail) => {
    const server = new Server(info, { capabilities: { tools: {}, resources: {}, prompts: {} } });
    for (const method of Object.keys(asks)) server.setRequestHandler(method, fail);
    return server;
  },
};
for (const code of [-32050, -32002]) {
  for (const [name, make] of Object.entries(makers)) {
    const handler = createMcpHandler(() =>
      make(() => {
        throw new ProtocolError(code, 'Not here', { sku: 'A' });
      }),
    );
    for (const [method, params] of Object.entries(asks)) {
      const response = await handler.fetch(
        new Request('http://shop.test/mcp', {
          method: 'POST',
          headers: {
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            'mcp-protocol-version': '2025-11-25',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        }),
      );
      const { result, error } = JSON.parse((await response.text()).match(/^data: (.*)$/m)[1]);
      console.log(`${code} in ${name}, ${method}: ${JSON.stringify({ result, error })}`);
    }
    await handler.close();
  }
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
