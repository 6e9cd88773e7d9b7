import type { Worker } from 'node:cluster';

/** What Node's primary and its workers tell each other of connections: lib/internal/cluster/round_robin_handle.js, utils.js. */
interface Internal {
  readonly act?: string;
  /** Of a message that is to be answered. */
  readonly seq?: number;
  /** Which message this is the answer to. */
  readonly ack?: number;
  /** Whether the worker has taken the connection; if not, the next one gets it. */
  accepted?: boolean;
}

const LOOK_MS = 10;

/**
 * Sees to it that no connection is forgotten. Node's primary holds one that it hands to a worker until the worker says that it has it: where the worker is
 * killed before, it holds it for ever; and where the last worker that listens no longer wants it, nobody is left to give it to. In both
 * cases the client would wait for an answer until it gives up: https://github.com/nodejs/node/issues/21746. Should Node talk otherwise one day,
 * this does nothing.
 * @param othersListen whether the next one would have it
 */
export const watchHandOver = ({ process: child }: Worker, othersListen: () => boolean): void => {
  const handedOver = new Set<number>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;

  child.send = (...args: unknown[]): boolean => {
    const { act, seq } = args[0] as Internal;
    if (act === 'newconn' && seq !== undefined) handedOver.add(seq);
    return send(...args);
  };
  child.prependListener('internalMessage', (message: Internal) => {
    if (message.ack === undefined || !handedOver.delete(message.ack)) return;
    // As if it had been taken: then the primary lets go of it.
    if (message.accepted === false && !othersListen()) message.accepted = true;
  });

  const giveToOthers = (): void => {
    for (const ack of [...handedOver]) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  };
  child.once('exit', () => {
    // Only once all that it has said is read is it known what it has not taken.
    if (!child.connected) return giveToOthers();
    const waiting = setInterval(() => {
      if (child.connected) return;
      clearInterval(waiting);
      // With a connection under way, Node forgets to say so, and would go on handing out to it.
      child.emit('disconnect');
      giveToOthers();
    }, LOOK_MS);
  });
};
