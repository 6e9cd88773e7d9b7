import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type ProtobufFields, readProtobuf } from './protobuf.ts';

/** A span as it came over the wire. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string;
  /** 2: server, 3: client. */
  readonly kind: number;
  readonly durationMs: number;
  /** 2: an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Of the last export. */
  readonly resource: Readonly<Record<string, string | number>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What it answers from now on. */
  status: number;
}

/** A real receiver of OTLP over HTTP in protobuf: https://github.com/open-telemetry/opentelemetry-proto */
export const startCollector = async (): Promise<Collector> => {
  const spans: ReceivedSpan[] = [];
  const collector = { spans, resource: {}, headers: {}, status: 200, url: '' };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (collector.status === 200 && request.url === '/v1/traces') {
      const message = readProtobuf(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      for (const resourceSpans of message.messages(1)) {
        collector.resource = attributesOf(resourceSpans.message(1).messages(1));
        spans.push(...resourceSpans.messages(2).flatMap((scope) => scope.messages(2).map(spanOf)));
      }
      collector.headers = request.headers;
    }
    response.writeHead(collector.status, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(collector, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
};

// Numbers of fields as in opentelemetry/proto/trace/v1/trace.proto and common.proto.
const spanOf = (span: ProtobufFields): ReceivedSpan => ({
  traceId: span.bytes(1).toString('hex'),
  spanId: span.bytes(2).toString('hex'),
  parentId: span.bytes(4).toString('hex'),
  name: span.bytes(5).toString(),
  kind: Number(span.number(6)),
  durationMs: Number(span.number(8) - span.number(7)) / 1e6,
  attributes: attributesOf(span.messages(9)),
  status: Number(span.message(15).number(3)),
});

const attributesOf = (pairs: readonly ProtobufFields[]): Record<string, string | number> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const value = pair.message(2);
      return [pair.bytes(1).toString(), value.has(1) ? value.bytes(1).toString() : Number(value.number(3))];
    }),
  );
