import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Clients that take their time, or do not care for the answer: each holds a connection for some seconds. */
const MANNERS: readonly ((socket: net.Socket) => Promise<void>)[] = [
  // A head that comes byte by byte.
  async (socket) => {
    for (const byte of 'GET /api/notice/list HT') {
      socket.write(byte);
      await delay(100);
    }
  },
  // A body that does.
  async (socket) => {
    socket.write(
      'POST /graphql HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n',
    );
    for (let byte = 0; byte < 20; byte += 1) {
      socket.write(' ');
      await delay(100);
    }
  },
  // One that does not read what it has asked for many times.
  async (socket) => {
    socket.pause();
    socket.write('GET /api/product/list HTTP/1.1\r\nhost: shop\r\n\r\n'.repeat(100));
    await delay(2000);
  },
  // One that says nothing.
  () => delay(2000),
  // One that leaves at once.
  async (socket) => {
    socket.write('GET /api/product/list?categoryIds=1 HTTP/1.1\r\nhost: shop\r\n\r\n');
  },
];

/** Connects, behaves in the manner of that number, and leaves. Never rejects. */
export const beSlow = async (url: string, manner: number): Promise<void> => {
  const { hostname, port } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {}); // The gateway may cut it off; that is its good right.
  await MANNERS[manner % MANNERS.length]?.(socket);
  socket.destroy();
};
