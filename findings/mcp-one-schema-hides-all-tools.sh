#!/bin/sh
# One tool whose zod schema has a date or a transform hides all tools of the MCP server, and each can still be called
#
# Expected: a schema that has no JSON Schema is refused when the tool is registered, or that tool alone is listed
#   without it.
# Happens: `registerTool` takes it, `tools/call` runs it. `tools/list` writes all schemas in one go and answers with an
#   error instead of a list as soon as one of them cannot be written; the message does not name the tool. In
#   `inputSchema` a transform is fine (the side before it is shown) and `z.date()` is not; in `outputSchema` neither is.
# Matters: the tests of tools call them and stay green; the assistant that is connected sees a server without tools.
#   A plugin's one tool takes away those of all others.
# Versions: @modelcontextprotocol/server 2.4.0, zod 4.6.7 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> inputSchema with z.string(): listed: first, second; the first answers, the second answers
#> inputSchema with z.string() with a transform: listed: first, second; the first answers, the second answers
#> inputSchema with z.date(): listed: -32603 Date cannot be represented in JSON Schema; the first answers, the second answers
#> outputSchema with z.string(): listed: first, second; the first answers, the second answers
#> outputSchema with z.string() with a transform: listed: -32603 Transforms cannot be represented in JSON Schema; the first answers, the second answers
#> outputSchema with z.date(): listed: -32603 Date cannot be represented in JSON Schema; the first answers, the second answers
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/server@2.4.0 zod@4.6.7 >&2
cat >find.mjs <<'JS'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const kinds = {
  'z.string()': z.string(),
  'z.string() with a transform': z.string().transform((text) => text.trim()),
  'z.date()': z.date(),
};
const ask = async (handler, method, params) => {
  const response = await handler.fetch(
    new Request('http://shop.test/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }),
  );
  return JSON.parse((await response.text()).match(/^data: (.*)$/m)[1]);
};
for (const place of ['inputSchema', 'outputSchema']) {
  for (const [label, schema] of Object.entries(kinds)) {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'shop', version: '1.0.0' });
      server.registerTool('first', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
      server.registerTool('second', { [place]: z.object({ value: schema.optional() }) }, () => ({ content: [], structuredContent: {} }));
      return server;
    });
    const list = await ask(handler, 'tools/list', {});
    const calls = [await ask(handler, 'tools/call', { name: 'first' }), await ask(handler, 'tools/call', { name: 'second', arguments: {} })];
    const listed = list.error ? `${list.error.code} ${list.error.message}` : list.result.tools.map(({ name }) => name).join(', ');
    const called = calls.map(({ result }) => (result && !result.isError ? 'answers' : 'fails')).join(', the second ');
    console.log(`${place} with ${label}: listed: ${listed}; the first ${called}`);
    await handler.close();
  }
}
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
