import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../../support/database.ts';
import { openStream, untilShown } from '../../support/events.ts';
import { createTestGateway, PATIENT } from '../../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, millisecondsSince, momentFromNow } from '../../support/rows.ts';
import { shared } from '../../support/shared.ts';

const database = await shared(createTestDatabase());
const category = await insertCategory(database);
// A stream begins with what is committed.
const gateway = await shared(createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' }));

const NOTICES = 'subscription { notices { title } }';
const PRODUCT = 'subscription($id: Int!) { product(id: $id) { name stock } }';

beforeEach(() => emptyTables(database, ['product', 'notice']));

const titles = (...names: string[]) => ({ notices: names.map((title) => ({ title })) });

describe('the list of notices', () => {
  test('comes at once, and again when the back office commits', async () => {
    await insertNotice(database, { title: 'First' });
    const stream = await openStream(gateway, NOTICES);
    expect(stream.status).toBe(200);
    expect(stream.results).toEqual([{ data: titles('First') }]);
    const id = await insertNotice(database, { title: 'Second' });
    await untilShown(stream, titles('Second', 'First'));
    await database.sql('update notice set title = $1 where id = $2', ['Changed', id]);
    await untilShown(stream, titles('Changed', 'First'));
    await database.sql('delete from notice where id = $1', [id]);
    await untilShown(stream, titles('First'));
    expect(stream.results).toHaveLength(4);
    stream.leave();
  });

  test('comes when a notice starts, and when it ends, by the clock of the database', async () => {
    const stream = await openStream(gateway, NOTICES);
    const starts_at = await momentFromNow(database, 400);
    const id = await insertNotice(database, { title: 'Soon', starts_at });
    await untilShown(stream, titles('Soon'));
    expect(await millisecondsSince(database, starts_at)).toBeGreaterThanOrEqual(0);
    const ends_at = await momentFromNow(database, 400);
    await database.sql('update notice set ends_at = $1 where id = $2', [ends_at, id]);
    await untilShown(stream, titles());
    expect(await millisecondsSince(database, ends_at)).toBeGreaterThanOrEqual(0);
    expect(stream.results.map(({ data }) => data.notices.length)).toEqual([0, 1, 0]);
    stream.leave();
  });
});

describe('a product', () => {
  test('comes at once, again when it changes, and as null while it is not visible', async () => {
    const id = await insertProduct(database, { category_id: category, name: 'Mug', stock: 3 });
    const stream = await openStream(gateway, PRODUCT, { variables: { id } });
    expect(stream.results).toEqual([{ data: { product: { name: 'Mug', stock: 3 } } }]);
    await database.sql('update product set stock = 2 where id = $1', [id]);
    await untilShown(stream, { product: { name: 'Mug', stock: 2 } });
    await database.sql(`update product set status = 'OFF_SALE' where id = $1`, [id]);
    await untilShown(stream, { product: null });
    const published = await momentFromNow(database, 400);
    await database.sql(`update product set status = 'ON_SALE', published_at = $1 where id = $2`, [published, id]);
    await untilShown(stream, { product: { name: 'Mug', stock: 2 } });
    expect(await millisecondsSince(database, published)).toBeGreaterThanOrEqual(0);
    await database.sql('delete from product where id = $1', [id]);
    await untilShown(stream, { product: null });
    expect(stream.results).toHaveLength(5);
    stream.leave();
  });

  test('that is not there is null, until it is', async () => {
    const stream = await openStream(gateway, PRODUCT, { variables: { id: 123_456 } });
    expect(stream.results).toEqual([{ data: { product: null } }]);
    await insertProduct(database, { id: 123_456, category_id: category, name: 'New' });
    await untilShown(stream, { product: { name: 'New', stock: 0 } });
    stream.leave();
  });
});
