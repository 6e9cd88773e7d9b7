import net from 'node:net';

export interface PipelinedAnswer {
  readonly status: number;
  /** The header lines. */
  readonly head: string;
  readonly body: string;
  /** From the sending of all requests of its connection. */
  readonly ms: number;
}

/**
 * Asks for the same target many times at once over one connection, without waiting for answers in between, which Node serves side by side:
 * thousands of concurrent requests cost the client next to nothing.
 * @throws where the connection ends before the last answer
 */
export const pipeline = (url: string, target: string, count: number): Promise<PipelinedAnswer[]> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    const answers: PipelinedAnswer[] = [];
    let rest = Buffer.alloc(0);
    let startedMs = 0;
    socket.on('connect', () => {
      startedMs = performance.now();
      socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(count));
    });
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const headEnd = rest.indexOf('\r\n\r\n');
        const head = rest.toString('latin1', 0, Math.max(headEnd, 0));
        const bodyEnd = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
        if (headEnd < 0 || !(rest.length >= bodyEnd)) break;
        const body = rest.toString('utf8', headEnd + 4, bodyEnd);
        answers.push({ status: Number(head.split(' ')[1]), head, body, ms: performance.now() - startedMs });
        rest = rest.subarray(bodyEnd);
      }
      if (answers.length === count) {
        socket.destroy();
        resolve(answers);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection ended after ${answers.length} of ${count} answers`)));
  });
