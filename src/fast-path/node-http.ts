/**
 * `node:http`, without what an `import` of it costs: that reads everything the module exports, its WebSocket too, for which Node loads undici and HTTP/2.
 * Measured on 2026-11-25: 8 of 112 MB of memory, and 50 to 70 ms of the start.
 */
export const { createServer, IncomingMessage, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
