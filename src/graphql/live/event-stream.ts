import type { CacheOutcome } from '../../cache/response-cache.ts';
import { CACHE_STATUS } from '../../http/cached-http-response.ts';
import type { BodySink, GatewayResponse } from '../../http/message.ts';

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

// The events of https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md, "distinct connections mode".
const BEFORE_RESULT = Buffer.from('event: next\ndata: ');
const AFTER_RESULT = Buffer.from('\n\n');

/** @param result JSON, which has no line breaks */
export const nextEvent = (result: Uint8Array): Buffer => Buffer.concat([BEFORE_RESULT, result, AFTER_RESULT]);

// With an empty data field: EventSource drops an event without one.
export const COMPLETE_EVENT = Buffer.from('event: complete\ndata:\n\n');

/** Shows everything between here and the client that the connection is in use. */
export const COMMENT = Buffer.from(':\n\n');

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': EVENT_STREAM_TYPE,
  'cache-control': 'no-store',
  vary: 'accept',
  // nginx would hold events back: https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
  'x-accel-buffering': 'no',
};

/** The result of an operation that has no other, and the end. */
export const singleEvent = (result: Uint8Array): GatewayResponse => ({
  status: 200,
  headers: { ...HEADERS },
  body: Buffer.concat([nextEvent(result), COMPLETE_EVENT]),
});

/**
 * @param outcome where the first event comes from
 * @param stream as in {@link GatewayResponse}
 */
export const eventStream = (outcome: CacheOutcome, stream: (sink: BodySink) => () => void): GatewayResponse => ({
  status: 200,
  headers: { ...HEADERS, 'cache-status': CACHE_STATUS[outcome] },
  body: null,
  stream,
});
