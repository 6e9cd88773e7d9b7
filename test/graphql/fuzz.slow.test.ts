import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_TABLE } from '../../src/errors.ts';
import { PATIENT } from '../support/gateway.ts';
import { mutations } from '../support/mutation.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { randomQuery } from '../support/random-query.ts';
import { createRestShop, words } from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';
import { sendRaw } from '../support/socket.ts';

// The real program. Whatever it is sent: no 5xx, nothing of its inside, and it goes on serving.

const shop = await shared(createRestShop());

const PATHS = words(
  '/api/product/ /api/notice/ /api/notice/page? /api/product/list? /graphql?query= / /graphiql/ /images/ /docs',
);

/** One for the tests beside which it is called. */
const useGateway = (environment: Record<string, string> = {}): (() => ServingProcess) => {
  let gateway: ServingProcess;

  beforeAll(async () => {
    gateway = await startGatewayProcess({ DATABASE_URL: shop.database.url, ...PATIENT, ...environment });
    // What is loaded when it is first needed holds up the requests beside it.
    for (const path of [...PATHS, '/graphql?query={', '/graphql?query={nothing}'])
      await (await fetch(gateway.url + path)).text();
  });

  afterAll(async () => {
    const output = gateway.command.output();
    const { status } = await fetch(`${gateway.url}/api/notice/list`);
    await gateway[Symbol.asyncDispose]();
    expect(status, 'it goes on serving').toBe(200);
    expect(output).not.toMatch(/"level":[56]0/);
  });

  return () => gateway;
};

/** Of the database, of the code, of the machine. */
const INSIDE =
  /postgres(ql)?:\/\/|prisma|sqlstate|relation "|node_modules|\.[tj]s:\d|^\s+at |\/tmp\/|ECONN|DATABASE_URL/im;

const FAULTS: ReadonlySet<string> = new Set(['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE']);

/** Side by side, for some of them are only answered when the gateway has waited for long enough. */
const BATCH = { minLength: 60, maxLength: 60 };

const expectSound = (answer: string, sent: string): void => {
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  expect(statuses.length, sent).toBeGreaterThan(0);
  for (const status of statuses) {
    expect(status, sent).toBeGreaterThanOrEqual(200);
    expect(status, sent).toBeLessThan(500);
  }
  expect(answer).not.toMatch(INSIDE);
};

describe('any bytes are answered by what the client did wrong:', () => {
  // What is not whole is waited for, though not for long.
  const gateway = useGateway({
    REQUEST_TIMEOUT_MS: '1000',
    KEEP_ALIVE_TIMEOUT_MS: '1000',
  });

  const sendAll = async (all: readonly string[]): Promise<void> => {
    const answers = await Promise.all(all.map((bytes) => sendRaw(gateway().url, Buffer.from(bytes, 'latin1'))));
    answers.forEach((answer, index) => {
      expectSound(answer, JSON.stringify(all[index]));
    });
  };

  const bytes = fc.string({ unit: fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 80 });
  const line = bytes.map((text) => text.replaceAll(/[\r\n]/g, ''));

  test('in a target', async () => {
    const request = fc
      .tuple(fc.constantFrom('GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS'), fc.constantFrom(...PATHS), line)
      .map(([method, path, rest]) => `${method} ${path}${rest} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    await fc.assert(fc.asyncProperty(fc.array(request, BATCH), sendAll), { numRuns: 5, endOnFailure: true });
  });

  test('in headers', async () => {
    const NAMES = words(`
      accept authorization content-length transfer-encoding if-none-match origin x-request-id
      accept-encoding range expect traceparent x-forwarded-for host
    `);
    const header = fc
      .tuple(fc.oneof(fc.constantFrom(...NAMES), line), line)
      .map(([name, value]) => `${name}: ${value}\r\n`);
    const request = fc
      .tuple(fc.constantFrom(...PATHS), fc.array(header, { minLength: 1, maxLength: 4 }))
      .map(([path, headers]) => `GET ${path}1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers.join('')}\r\n`);
    await fc.assert(fc.asyncProperty(fc.array(request, BATCH), sendAll), { numRuns: 5, endOnFailure: true });
  });

  test('in place of a request, or after something has happened to one', async () => {
    const body = '{"query":"{ hotProducts { name } }"}';
    const head = `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n`;
    const whole = fc.constantFrom(
      'GET /api/notice/page?pageNum=1&pageSize=5&keyword=x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      `${head}content-length: ${body.length}\r\n\r\n${body}`,
      `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    const pieces = ['\r\n', '\r\n\r\n', ' ', ':', '0', 'HTTP/1.1', '\0', 'content-length: 5\r\n', '%', '\n'];
    const request = fc.oneof(
      bytes,
      fc.tuple(whole, mutations(pieces)).map(([text, mutate]) => mutate(text)),
    );
    const some = request.filter((text) => text !== '');
    await fc.assert(fc.asyncProperty(fc.array(some, BATCH), sendAll), { numRuns: 4, endOnFailure: true });
  });
});

describe('GraphQL', { timeout: 120_000 }, () => {
  const gateway = useGateway();

  const PIECES = words(String.raw`
    { } ( ) $a : ! ... @skip(if:true) fragment on " """ -1 2147483648 null [ # query __schema \u0000 1e400
  `);

  /** Answered in the shape of GraphQL, with errors that are the client's only. */
  const expectResult = async (response: Response, sent: string): Promise<void> => {
    const text = await response.text();
    expect(response.status, sent).toBeLessThan(500);
    expect(text).not.toMatch(INSIDE);
    const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: { extensions?: { code?: string } }[] };
    expect(data !== undefined || errors.length > 0, sent).toBe(true);
    for (const { extensions } of errors) {
      const { code = '' } = extensions ?? {};
      expect(code in ERROR_TABLE && !FAULTS.has(code), `${text} for ${sent}`).toBe(true);
    }
  };

  const post = (body: string): Promise<Response> =>
    fetch(`${gateway().url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

  test('any document that the schema allows, and any that it nearly does', async () => {
    const document = fc.tuple(fc.gen(), fc.option(mutations(PIECES)), fc.boolean());
    await fc.assert(
      fc.asyncProperty(document, async ([g, mutate, isGet]) => {
        const { text, variables } = randomQuery(schema, g, { faults: 10 });
        const query = mutate ? mutate(text) : text;
        const target = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`;
        if (isGet && target.length < 8000) await expectResult(await fetch(gateway().url + target), query);
        else await expectResult(await post(JSON.stringify({ query, variables })), query);
      }),
      { numRuns: 400 },
    );
  });

  test('any JSON for a body, and any that nearly is', async () => {
    const member = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('{ hotProducts { id } }', 'query ($a: Int!) { product(id: $a) { id } }'),
    );
    const request = fc.record(
      { query: member, variables: member, operationName: member, extensions: member },
      { requiredKeys: [] },
    );
    const body = fc
      .tuple(fc.oneof(request, fc.jsonValue()), fc.option(mutations(['{', '}', '"', ',', ':', '\\', '[[', 'null'])))
      .map(([value, mutate]) => (mutate ? mutate(JSON.stringify(value)) : JSON.stringify(value)));
    await fc.assert(
      fc.asyncProperty(body, async (each) => expectResult(await post(each), each)),
      { numRuns: 300 },
    );
  });
});
