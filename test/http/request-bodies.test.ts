import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';
import { listen, sendRaw } from '../support/socket.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database));
const server = await shared(listen(gateway));

const OPERATION = JSON.stringify({ query: '{ __typename }' });

const post = (
  body: BodyInit,
  headers: Record<string, string> = { 'content-type': 'application/json' },
): Promise<Response> => {
  // Node wants `duplex` for a stream, and its types do not know it.
  const options = { method: 'POST', headers, body, duplex: 'half' };
  return fetch(`${server.url}/graphql`, options);
};

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe('the content type of a POST', () => {
  test.for([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; charset=UTF8',
  ])('may be %s', async (type) => {
    const response = await post(bytes(OPERATION), { 'content-type': type });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  const FORM = new URLSearchParams({ query: '{ __typename }' }).toString();

  test.for([
    ['none', undefined, OPERATION],
    ['empty', '', OPERATION],
    ['a form', 'application/x-www-form-urlencoded', FORM],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n${OPERATION}\r\n--x--`,
    ],
    ['text', 'text/plain', OPERATION],
    ['text with a charset', 'text/plain;charset=UTF-8', OPERATION],
    ['a bare document', 'application/graphql', '{ __typename }'],
    ['GraphQL in JSON', 'application/graphql+json', OPERATION],
    ['something that begins alike', 'application/jsonp', OPERATION],
    ['a list', 'application/json, text/plain', OPERATION],
    ['JSON in another charset', 'application/json; charset=utf-16', OPERATION],
  ] as const)('is refused with 415 when it is %s', async ([, type, body]) => {
    const response = await post(bytes(body), type === undefined ? {} : { 'content-type': type });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' } }] });
  });

  test('does not help a body that is compressed', async () => {
    const response = await post(bytes(OPERATION), { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
  });
});

describe('a body that asks for no operation is refused with 400 in either media type:', () => {
  test.for<[string, string | Uint8Array<ArrayBuffer>]>([
    ['nothing', ''],
    ['JSON that ends early', '{"query":"{ __typename }"'],
    ['something after the JSON', `${OPERATION}x`],
    [
      'bytes that are no UTF-8',
      new Uint8Array([...bytes('{"query":"{ __typename }","operationName":"'), 0xff, 0xfe, ...bytes('"}')]),
    ],
    ['a letter of Latin-1', new Uint8Array([...bytes('{"query":"# Gr'), 0xf6, ...bytes('e\\n{ __typename }"}')])],
    ['null', 'null'],
    ['a text', '"{ __typename }"'],
    ['a batch', `[${OPERATION}]`],
    ['a batch of two', `[${OPERATION},${OPERATION}]`],
    ['a batch of none', '[]'],
    ['no query', '{"variables":{}}'],
    ['a query that is null', '{"query":null}'],
    ['a query that is a number', '{"query":1}'],
    ['variables that are a list', '{"query":"{ __typename }","variables":[]}'],
    ['a name of no operation in it', '{"query":"query A { __typename }","operationName":"B"}'],
    ['two operations and no name', '{"query":"query A { __typename } query B { __typename }"}'],
    ['no operation', '{"query":"fragment F on Query { __typename }"}'],
    ['a name that is a number', '{"query":"{ __typename }","operationName":1}'],
    ['a parameter that nobody knows', '{"query":"{ __typename }","quarry":1}'],
  ])('%s', async ([, body]) => {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const response = await post(body, { 'content-type': 'application/json', accept });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        errors: [{ message: expect.any(String), extensions: { code: 'BAD_USER_INPUT' } }],
      });
    }
  });
});

describe('the size of a body', () => {
  const MIB = 1_048_576;

  const bodyOf = (size: number): Uint8Array<ArrayBuffer> => {
    const [head, tail] = ['{"query":"{ __typename }","variables":{"x":"', '"}}'];
    return bytes(head + 'x'.repeat(size - head.length - tail.length) + tail);
  };
  const inChunks = (body: Uint8Array<ArrayBuffer>): ReadableStream => new Blob([body]).stream();

  test('may be 1 MiB, with a length or in chunks', async () => {
    for (const body of [bodyOf(MIB), inChunks(bodyOf(MIB))]) {
      const response = await post(body);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
    }
  });

  test.for([MIB + 1, 4 * MIB, 20 * MIB])(
    'of %i is refused with 413, and the next request is answered',
    async (size) => {
      for (const body of [bodyOf(size), inChunks(bodyOf(size)), bodyOf(size), inChunks(bodyOf(size))]) {
        const response = await post(body);
        expect(response.status).toBe(413);
        expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] });
        expect((await post(OPERATION)).status).toBe(200);
      }
    },
  );

  test('decides nothing of how it is read: whole, byte by byte, or behind another request', async () => {
    const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const chunks = [...OPERATION].map((char) => `1\r\n${char}\r\n`).join('');
    const whole = `${head}content-length: ${OPERATION.length}\r\n`;
    const byByte = `${head}transfer-encoding: chunked\r\n`;
    const end = '0\r\n\r\n';
    const answers = await sendRaw(
      server.url,
      `${whole}\r\n${OPERATION}${byByte}\r\n${chunks}${end}${whole}connection: close\r\n\r\n${OPERATION}`,
    );
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
    expect(answers.match(/"__typename":"Query"/g)).toHaveLength(3);
  });

  test('of a request that breaks off is given up, and the next request is answered', async () => {
    const { hostname, port } = new URL(server.url);
    for (const part of ['', OPERATION.slice(0, 10)]) {
      const socket = net.connect(Number(port), hostname);
      const head = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${OPERATION.length}`;
      await new Promise<void>((resolve) => socket.write(`${head}\r\n\r\n${part}`, () => resolve()));
      socket.resetAndDestroy();
      expect((await post(OPERATION)).status).toBe(200);
    }
  });

  test('is refused before the body is sent, and a request hidden in the body is not taken for one', async () => {
    const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const hidden = 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n';
    for (const request of [
      `${head}content-length: ${2 * MIB}\r\n\r\n${hidden}`,
      `${head}content-length: ${MIB + 1}\r\n\r\n${'x'.repeat(MIB + 1)}${hidden}`,
      `${head}transfer-encoding: chunked\r\n\r\n${(MIB + 1).toString(16)}\r\n${'x'.repeat(MIB + 1)}\r\n${hidden}`,
    ]) {
      const answer = await sendRaw(server.url, request);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    }
  });

  test('that is not read leaves the connection closed or in step', async () => {
    const hidden = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    for (const [method, type] of [
      ['PUT', 'application/json'],
      ['POST', 'text/plain'],
    ]) {
      const request = `${method} /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`;
      const answer = await sendRaw(server.url, request + hidden);
      expect(answer.match(/HTTP\/1\.1 4/g)).toHaveLength(1);
      expect(answer.match(/HTTP\/1\.1 200/g) ?? []).toHaveLength(
        /connection: close/i.test(answer.split('\r\n\r\n')[0] ?? '') ? 0 : 1,
      );
    }
  });
});

test.for([
  ['no content type', '/graphql', '', 415],
  ['no content type, and a query', '/graphql?query={__typename}', '', 415],
  ['JSON', '/graphql', 'content-type: application/json\r\n', 400],
] as const)('a POST that says nothing of a body has none: %s', async ([, target, headers, status]) => {
  const head = `POST ${target} HTTP/1.1\r\nhost: x\r\n${headers}`;
  const answers = await sendRaw(server.url, `${head}\r\n${head}connection: close\r\n\r\n`);
  expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toEqual([`HTTP/1.1 ${status}`, `HTTP/1.1 ${status}`]);
});
