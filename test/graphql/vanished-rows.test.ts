import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';

test.for([
  ['a compiled operation', ''],
  ['the reference executor', '@include(if: true)'],
])(
  '%s starts again where a category is deleted after its product was read, and counts a view once',
  async ([, directive]) => {
    await using database = await createTestDatabase();
    const [cups, plates] = [
      await insertCategory(database, { name: 'Cups' }),
      await insertCategory(database, { name: 'Plates' }),
    ];
    const id = await insertProduct(database, { category_id: cups });
    await insertNotice(database, { id: 1 });
    await using gateway = await createTestGateway(database);
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('lock table category in access exclusive mode');

    const query = `{ product(id: ${id}) { category { name } } notice(id: 1) ${directive} { viewCount } }`;
    const result = gateway.graphql(query);
    await untilBlocked(database);
    await backOffice.query('update product set category_id = $1', [plates]);
    await backOffice.query('delete from category where id = $1', [cups]);
    await backOffice.query('commit');
    expect(await result).toEqual({ data: { product: { category: { name: 'Plates' } }, notice: { viewCount: 1 } } });
  },
);
