import { describe, expect, test } from 'vitest';
import { createRestShop } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';
import { listen, sendRaw } from '../support/socket.ts';

// The head of a cached response is written from lines; with headers of a rate limit it is written by Node. On the wire they are the same.

const shop = await shared(createRestShop({ CORS_ORIGINS: 'https://shop.example' }));
const listening = await shared(listen(shop.gateway));
const limited = await shared(listen(shop.gateway, { RATE_LIMIT_PER_MINUTE: '1000000' }));

const HOME = '{"query":"{ hotProducts(limit: 30) { name description } }"}';
const NOTICE = '{"query":"{ notice(id: 1) { id viewCount } }"}';

const get = (target: string) => (headers: string) => `GET ${target} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;
const post = (body: string) => (headers: string) =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;

const ORIGIN = 'origin: https://elsewhere.example\r\n';
const CLOSE = 'connection: close\r\n';

/** The lines of each head, in an order of their own, without those that differ from one answer to the next. */
const headsOf = (text: string): string[][] =>
  text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map((answer) => answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n'))
    .map((lines) => lines.filter((line) => !/^(?:date|x-request-id|ratelimit|ratelimit-policy):/i.test(line)))
    .map((lines) => lines.map((line) => line.replace(/^(x-accel-expires: @)\d+$/, '$1second')).sort());

describe('on one connection, a cached response has the head that Node writes:', () => {
  test.for<[string, (headers: string) => string, string]>([
    ['a path', get('/api/product/list?limit=30'), ''],
    ['a path in a content encoding', get('/api/product/new?limit=30'), 'accept-encoding: gzip\r\n'],
    ['an operation', post(HOME), ''],
    ['an operation in a media type', post(HOME), 'accept: application/graphql-response+json\r\n'],
    ['a counted notice', get('/api/notice/1'), ''],
    ['a counted notice by an operation', post(NOTICE), ''],
  ])('%s', async ([, request, headers]) => {
    const codingOf = (text: string) => /content-encoding: (\w+)/.exec(text)?.[1] ?? '';
    // Cached, and compressed, before the heads are compared.
    await expect
      .poll(async () => codingOf(await sendRaw(listening.url, request(headers + CLOSE))))
      .toBe(headers.includes('gzip') ? 'gzip' : '');

    const requests =
      request(headers) + request(headers + ORIGIN) + request(headers) + request(headers + ORIGIN + CLOSE);
    const heads = headsOf(await sendRaw(listening.url, requests));
    expect(heads).toEqual(headsOf(await sendRaw(limited.url, requests)));
    const [written, joined, again, last] = heads;
    expect(written).toEqual(joined);
    expect(again).toEqual(joined);
    expect(written).toContain('HTTP/1.1 200 OK');
    expect(written).toContain('Connection: keep-alive');
    expect(last).toContain('Connection: close');
  });

  test('and closes where that is asked for, and to HTTP/1.0', async () => {
    const request = get('/api/product/hot');
    await sendRaw(listening.url, request(CLOSE));
    for (const bytes of [request(CLOSE), request('').replace('HTTP/1.1', 'HTTP/1.0')]) {
      const text = await sendRaw(listening.url, bytes);
      expect(text).toContain('vitrine; hit');
      expect(headsOf(text)[0]).toContain('Connection: close');
    }
  });
});
