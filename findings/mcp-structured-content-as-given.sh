#!/bin/sh
# The MCP server checks a tool's result with zod and sends what was checked, not what zod made of it: clients refuse it
#
# Expected: `outputSchema` does for a result what `inputSchema` does for arguments: defaults are filled in, numbers are
#   made of texts, unknown members go. What the server lets pass is what it has told the clients of.
# Happens: the result passes if zod can read it, and goes out as the tool gave it. The JSON Schema in `tools/list` is
#   that of zod's output: members with a default are required, and a plain `z.object` says
#   `additionalProperties: false`. So the server's check is wider than the promise, and the client of the same release,
#   which holds the result against the promise, throws.
# Matters: the server's log says that all is well, and its tests, which call the tool without such a client, are green.
#   A row with one more column, which the schema was to leave out, makes a tool useless, or shows that column
#   to a client that does not check. `outputSchema.parse(…)` in the tool is the way out.
# Versions: @modelcontextprotocol/server and client 2.4.0, zod 4.6.7 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> promised: {"required":["sku","stock","price"],"additionalProperties":false}
#> whole: zod makes {"sku":"A","stock":1,"price":5}, the server sends {"sku":"A","stock":1,"price":5}, the client takes it
#> without_stock: zod makes {"sku":"A","stock":0,"price":5}, the server sends {"sku":"A","price":5}, the client throws "Structured content does not match the tool's output schema: data must have required property 'stock'"
#> price_as_text: zod makes {"sku":"A","stock":1,"price":5}, the server sends {"sku":"A","stock":1,"price":"5"}, the client throws "Structured content does not match the tool's output schema: data/price must be number"
#> with_cost: zod makes {"sku":"A","stock":1,"price":5}, the server sends {"sku":"A","stock":1,"price":5,"cost":3}, the client throws "Structured content does not match the tool's output schema: data must NOT have additional properties"
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/server@2.4.0 \
  @modelcontextprotocol/client@2.4.0 zod@4.6.7 >&2
cat >find.mjs <<'JS'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const outputSchema = z.object({ sku: z.string(), stock: z.number().default(0), price: z.coerce.number() });
const rows = {
  whole: { sku: 'A', stock: 1, price: 5 },
  without_stock: { sku: 'A', price: 5 },
  price_as_text: { sku: 'A', stock: 1, price: '5' },
  with_cost: { sku: 'A', stock: 1, price: 5, cost: 3 },
};
const answers = [];
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  for (const [name, structuredContent] of Object.entries(rows)) {
    server.registerTool(name, { outputSchema }, () => ({ content: [], structuredContent }));
  }
  return server;
});
const client = new Client({ name: 'client', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('http://shop.test/mcp'), {
    fetch: async (url, init) => {
      const response = await handler.fetch(new Request(url, init));
      answers.push(await response.clone().text());
      return response;
    },
  }),
);
const { tools } = await client.listTools();
const { required, additionalProperties } = tools[0].outputSchema;
console.log(`promised: ${JSON.stringify({ required, additionalProperties })}`);
for (const { name } of tools) {
  const told = await client.callTool({ name }).then(
    () => 'takes it',
    ({ message }) => `throws ${JSON.stringify(message)}`,
  );
  const { result } = JSON.parse(answers.at(-1).match(/^data: (.*)$/m)[1]);
  console.log(`${name}: zod makes ${JSON.stringify(outputSchema.parse(rows[name]))}, the server sends ${JSON.stringify(result.structuredContent)}, the client ${told}`);
}
await client.close();
await handler.close();
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
