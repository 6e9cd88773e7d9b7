import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

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

/** The fields of a message by their numbers, as the caller knows them to be. */
export interface ProtobufFields {
  readonly has: (field: number) => boolean;
  /** Of a `string` or `bytes`; empty where there is none. */
  readonly bytes: (field: number) => Buffer;
  /** Of an integer; 0 where there is none. */
  readonly number: (field: number) => bigint;
  readonly message: (field: number) => ProtobufFields;
  readonly messages: (field: number) => ProtobufFields[];
}

/** Reads a message without its schema: https://protobuf.dev/programming-guides/encoding/ */
const readProtobuf = (bytes: Buffer): ProtobufFields => {
  const values = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new Error('the message ends within a field');
    return bytes.subarray(at - length, at);
  };
  const VALUES: Readonly<Record<number, () => bigint | Buffer>> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const value = VALUES[tag & 7]?.();
    if (value === undefined) throw new Error(`no wire type: ${tag & 7}`);
    values.set(tag >>> 3, [...(values.get(tag >>> 3) ?? []), value]);
  }

  const buffers = (field: number): Buffer[] => (values.get(field) ?? []).filter((value) => Buffer.isBuffer(value));
  return {
    has: (field) => values.has(field),
    bytes: (field) => buffers(field)[0] ?? Buffer.alloc(0),
    number: (field) => {
      const [value = 0n] = values.get(field) ?? [];
      return typeof value === 'bigint' ? value : 0n;
    },
    message: (field) => readProtobuf(buffers(field)[0] ?? Buffer.alloc(0)),
    messages: (field) => buffers(field).map(readProtobuf),
  };
};
