import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { callOf } from '../workloads/workload.ts';
import { CHANGING_PRODUCTS } from '../workloads/workloads.ts';
import type { Cell } from './cell.ts';

/** `FRESHNESS_MS`, as it is by default. */
const BOUND_MS = 100;
/**
 * PostgreSQL notifies one commit at a time, so that more wait for each other: 4 sessions made up to 4,000 changes a second, 32 made 1,300. Where all cores
 * are busy, 8 make 1,000, at 5 ms each.
 */
const WRITERS = 8;
/** Between two answers that are read. */
const READ_EVERY_MS = 5;

/** Each change has a number, which an answer shows as the stock, and moves the price. */
const CHANGE = {
  name: 'change',
  text: 'update product set stock = $2::int, price = 1 + (price * 7 + $2::int) % 500 where id = $1',
};
/** Changes of a product that are remembered: more than come within the bound. */
const REMEMBERED = 8;

/** The back office made so few changes that figures would say too much: the machine is too slow, or busy. */
export class TooFewChanges extends Error {}

/** Who changes products while a server is measured. */
export interface BackOffice {
  readonly sessions: pg.Pool;
  readonly changesPerSecond: number;
}

/**
 * The sessions of a back office stay open for as long as its server is measured. New ones take PostgreSQL half as much again, because each of its
 * processes maps the pages of the shared memory when it first touches them: 8 to 11 page faults for each change in their first two seconds, one or less after
 * ten. With new sessions in each round of a second the changes took 1.33 of a core, with those of the rounds before 0.83 (26 November 2026, ten rounds in turn,
 * 1,000 changes a second).
 */
export const openBackOffice = async (databaseUrl: string, changesPerSecond: number): Promise<BackOffice> => {
  const sessions = new pg.Pool({
    connectionString: databaseUrl,
    max: WRITERS,
    idleTimeoutMillis: 0,
    options: '-c synchronous_commit=off',
  });
  // Of a session that nobody uses just now. One that is used rejects.
  sessions.on('error', () => {});
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => warmSession(sessions, writer + 1)));
  return { sessions, changesPerSecond };
};

/** The first change of a session takes PostgreSQL 5 ms: it is made here, and taken back. @param id of a product of its own, for which it waits for no other */
const warmSession = async (sessions: pg.Pool, id: number): Promise<void> => {
  const client = await sessions.connect();
  await client.query('begin');
  await client.query({ ...CHANGE, values: [id, 0] });
  await client.query('rollback');
  client.release();
};

/**
 * Does some work while a back office changes products at a rate, and reads answers meanwhile.
 * @param enough of the changes that are wanted
 * @throws Error for an answer that is staler than the bound; {@link TooFewChanges}
 */
export const whileChanging = async <Value>(
  cell: Cell,
  { sessions, changesPerSecond }: BackOffice,
  enough: number,
  work: () => Promise<Value>,
): Promise<Value> => {
  const { server, workload, method, questions } = cell;
  const ending = new AbortController();
  const acknowledged = new Map<number, { stock: number; ms: number }[]>();
  let changes = 0;
  const startMs = performance.now();
  // Above all of the catalogue, and of earlier rounds.
  const firstChange = Math.ceil(startMs) * 10;

  // Each has products of its own, so that the stock of a product only grows.
  const change = async (writer: number): Promise<void> => {
    changes += 1;
    const stock = firstChange + changes;
    const id = WRITERS * Math.floor(Math.random() * Math.floor(CHANGING_PRODUCTS / WRITERS)) + writer + 1;
    await sessions.query({ ...CHANGE, values: [id, stock] });
    const last = acknowledged.get(id) ?? [];
    acknowledged.set(id, [...last.slice(1 - REMEMBERED), { stock, ms: performance.now() }]);
  };

  // One timer wakes all writers: what this process takes, the server and PostgreSQL cannot have.
  const write = async (): Promise<void> => {
    const free = Array.from({ length: WRITERS }, (_, writer) => writer);
    const failure = Promise.withResolvers<never>();
    // Changes that are under way at the end may fail too.
    for (; !ending.signal.aborted || free.length < WRITERS; await Promise.race([delay(1), failure.promise])) {
      const due = ending.signal.aborted ? 0 : ((performance.now() - startMs) / 1000) * changesPerSecond;
      for (const writer of free.splice(0, Math.ceil(due - changes))) {
        change(writer).then(() => free.push(writer), failure.reject);
      }
    }
  };

  const read = async (): Promise<void> => {
    for (; !ending.signal.aborted; await delay(READ_EVERY_MS)) {
      const question = questions[Math.floor(Math.random() * questions.length)];
      if (!question) return;
      const boundMs = performance.now() - BOUND_MS;
      const { body } = await server.client.call(callOf(workload, question, method));
      for (const { id, stock } of [JSON.parse(body.toString())].flat() as { id: number; stock: number }[]) {
        const due = acknowledged.get(id)?.findLast(({ ms }) => ms < boundMs);
        if (due && stock < due.stock)
          throw new Error(`product ${id} shows change ${stock}, over ${BOUND_MS} ms after ${due.stock}`);
      }
    }
  };

  const others = Promise.all([read(), write()]);
  try {
    const value = await Promise.race([work(), others.then(() => Promise.reject(new Error('nothing changes')))]);
    const wanted = ((performance.now() - startMs) / 1000) * changesPerSecond;
    if (changes < wanted * enough) throw new TooFewChanges(`${changes} changes in place of ${wanted.toFixed(0)}`);
    return value;
  } finally {
    ending.abort();
    await others;
    // What comes next is compared with the database.
    await delay(BOUND_MS);
  }
};
