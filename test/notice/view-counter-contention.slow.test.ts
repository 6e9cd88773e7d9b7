import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { insertNotice } from '../support/rows.ts';
import { openSession, untilBlocked, untilViewsWait } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { ascending, numbers, stored } from '../support/views.ts';
import { startLossyWire } from '../support/wire.ts';

interface View {
  readonly status: number;
  /** The count that was answered; undefined for an error. */
  readonly number: number | undefined;
  readonly code: string | undefined;
}

/** Views a notice by REST or by GraphQL. */
const view = async (gateway: TestGateway, id: number, byGraphql = false): Promise<View> => {
  const { status, json } = await gateway.get(
    byGraphql ? `/graphql?query={notice(id:${id}){viewCount}}` : `/api/notice/${id}`,
  );
  // biome-ignore lint/suspicious/noExplicitAny: the body of either protocol
  const body = json as any;
  return byGraphql
    ? { status, number: body.data?.notice?.viewCount, code: body.errors?.[0]?.extensions.code }
    : { status, number: body.viewCount, code: body.code };
};

const views = (gateway: TestGateway, id: number, count: number): Promise<View[]> =>
  Promise.all(upTo(count).map((index) => view(gateway, id, index % 2 === 0)));

const numbersOf = (seen: View[]): number[] =>
  ascending(seen.flatMap(({ number }) => (number === undefined ? [] : [number])));

const upTo = (count: number): number[] => numbers(1, count);

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database));

describe('a back office that holds the row', () => {
  test('delays the views, and neither breaks nor repeats them', async () => {
    await using backOffice = await openSession(database);
    const id = await insertNotice(database, { title: 'Old' });

    await backOffice.query('begin');
    await backOffice.query(`update notice set title = 'New', view_count = view_count + 100 where id = $1`, [id]);
    const early = views(gateway, id, 40);
    await untilViewsWait(database);
    const late = views(gateway, id, 40);
    await backOffice.query('commit');
    const title = gateway.graphql(`{ notice(id: ${id}) { title } }`);

    const seen = [...(await early), ...(await late)];
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await title).toEqual({ data: { notice: { title: 'New' } } });
    expect(new Set(numbersOf(seen)).size).toBe(80);
    expect(numbersOf(seen).every((number) => number > 100 && number <= 181)).toBe(true);
    expect(await stored(database, id)).toBe(181);
  });

  test('and withdraws the notice meanwhile leaves nothing to read or count', async () => {
    await using backOffice = await openSession(database);
    const id = await insertNotice(database);

    await backOffice.query('begin');
    await backOffice.query(`update notice set status = 'WITHDRAWN' where id = $1`, [id]);
    const waiting = view(gateway, id);
    await untilViewsWait(database);
    await backOffice.query('commit');

    expect(await waiting).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await stored(database, id)).toBe(0);
  });

  test('and withdraws one of two notices meanwhile leaves the other, counted once', async () => {
    await using backOffice = await openSession(database);
    const [kept, withdrawn] = [await insertNotice(database), await insertNotice(database)];

    await backOffice.query('begin');
    await backOffice.query(`update notice set status = 'WITHDRAWN' where id = $1`, [withdrawn]);
    const answer = gateway.graphql(
      `{ kept: notice(id: ${kept}) { viewCount } withdrawn: notice(id: ${withdrawn}) { viewCount } }`,
    );
    await untilViewsWait(database);
    await backOffice.query('commit');

    expect(await answer).toEqual({ data: { kept: { viewCount: 1 }, withdrawn: null } });
    expect([await stored(database, kept), await stored(database, withdrawn)]).toEqual([1, 0]);
  });

  test('for longer than a statement may take makes the views fail as unavailable, uncounted', async () => {
    await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '300' });
    await using backOffice = await openSession(database);
    // The first operations are prepared: where that takes the whole time, a view whose request is answered may still be counted.
    const other = await insertNotice(database);
    await expect.poll(() => view(gateway, other)).toMatchObject({ status: 200 });
    await expect.poll(() => view(gateway, other, true)).toMatchObject({ status: 200 });
    const id = await insertNotice(database);

    await backOffice.query('begin');
    await backOffice.query('select from notice where id = $1 for update', [id]);
    for (const { status, code } of await Promise.all([view(gateway, id), view(gateway, id, true)])) {
      expect({ status, code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    }
    await backOffice.query('rollback');

    expect(await stored(database, id)).toBe(0);
    expect(await view(gateway, id)).toMatchObject({ status: 200, number: 1 });
  });
});

describe('a connection that is lost', () => {
  test('in the middle of a statement fails the views that shared it, and counts those that waited once', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '60000' });
    await using backOffice = await openSession(database);
    const id = await insertNotice(database);
    await database.sql(`create function hold() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(1); return new; end $$`);
    await database.sql('create trigger hold before update on notice for each row execute function hold()');

    await backOffice.query('begin');
    await backOffice.query('select pg_advisory_xact_lock(1)');
    const lost = [view(gateway, id), view(gateway, id, true)];
    const [pid] = await untilBlocked(database);
    const waiting = views(gateway, id, 30);
    await database.sql('select pg_terminate_backend($1)', [pid]);
    // One of the two began the statement, the other may have come too late for it.
    expect(await Promise.race(lost)).toEqual({ status: 503, number: undefined, code: 'SERVICE_UNAVAILABLE' });
    await untilBlocked(database);
    await backOffice.query('commit');

    const seen = [...(await Promise.all(lost)), ...(await waiting)];
    for (const { status, code } of seen.filter(({ number }) => number === undefined)) {
      expect({ status, code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    }
    expect(numbersOf(seen)).toEqual(upTo(numbersOf(seen).length));
    expect(numbersOf(seen).length).toBeGreaterThanOrEqual(30);
    expect(await stored(database, id)).toBe(numbersOf(seen).length);
  });

  test('after the commit and before the answer is not tried again: a 503, and one view counted', async () => {
    await using wire = await startLossyWire(database, 'count_views');
    await using gateway = await createTestGateway(wire);
    const id = await insertNotice(database);
    expect(await view(gateway, id)).toMatchObject({ number: 1 });

    wire.loseEvery(1);
    expect(await view(gateway, id)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    wire.loseEvery(0);
    await expect.poll(() => stored(database, id)).toBe(2);
    expect(await view(gateway, id, true)).toMatchObject({ status: 200, number: 3 });
    expect(await stored(database, id)).toBe(3);
  });
});
