import { EventEmitter } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readCopied } from '../../src/browse/index/read.ts';
import { DatabaseClient } from '../../src/database/connection.ts';
import type { GatewayResponse } from '../../src/http/message.ts';
import { responseUnderWay, send } from '../../src/http/send.ts';

// Members of Node and of the driver that no documentation promises. Where they are gone, the gateway is slower, and right.

const without = <Given extends object>(given: Given, ...gone: string[]): Given =>
  new Proxy(given, {
    get: (target, name) => {
      if (gone.includes(String(name))) return undefined;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const headAndBody = async (listener: RequestListener): Promise<[headers: string[], body: string]> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const headers = [...response.headers].filter(([name]) => name !== 'date').map((header) => header.join(': '));
    return [headers, await response.text()];
  } finally {
    server.close();
  }
};

test('without _storeHeader, a kept head is written by writeHead', async () => {
  const kept: GatewayResponse = {
    status: 200,
    headers: { 'content-type': 'application/json', etag: '"1"' },
    lines: 'content-type: application/json\r\netag: "1"\r\n',
    body: '{"a":1}',
  };
  const sentBy = (respond: (response: ServerResponse) => ServerResponse) =>
    headAndBody((request, response) => send(request, respond(response), kept));
  const plain = await sentBy((response) => without(response, '_storeHeader'));
  expect(plain[1]).toBe('{"a":1}');
  expect(plain).toEqual(await sentBy((response) => response));
});

test('without _httpMessage, no response is under way', () => {
  expect(responseUnderWay({} as Parameters<typeof responseUnderWay>[0])).toBeUndefined();
});

test('without processID of the driver, no server process is named', () => {
  const client: DatabaseClient = Object.create(new DatabaseClient(), { processID: { value: undefined } });
  expect(client.namedPid).toBeNull();
});

test('without copyData of the driver, rows that the index does not get are not taken for none', async () => {
  const connection = new EventEmitter();
  const client = { connection, query: async () => ({ rowCount: 3 }) } as unknown as DatabaseClient;
  await expect(readCopied(client, 'select 1', () => {})).rejects.toThrow('the driver gave 0 of 3 rows');
  expect(connection.listenerCount('copyData')).toBe(0);
});
