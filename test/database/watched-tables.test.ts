import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const listener = new pg.Client({ connectionString: database.url });
listener.on('error', () => {});
await listener.connect();
afterAll(() => listener.end());
const heard: string[] = [];
listener.on('notification', ({ payload = '' }) => heard.push(payload));
await listener.query('listen vitrine');

await database.sql('create table sundial (id integer primary key, name text not null)');

test('each statement that changes a watched table is notified once, however often it was watched', async () => {
  for (let time = 0; time < 2; time += 1) await database.sql(`select vitrine_watch('sundial')`);
  const [{ oid } = { oid: '' }] = await database.sql<{ oid: string }>(`select 'sundial'::regclass::oid::text as oid`);
  for (const change of [
    `insert into sundial values (1, 'One'), (2, 'Two')`,
    `update sundial set name = 'Other'`,
    'delete from sundial where id = 1',
    'truncate sundial',
  ]) {
    await database.sql(change);
    // What was notified comes before the answer.
    await listener.query('select 1');
    expect(heard.splice(0), change).toEqual([`sundial oid=${oid}`]);
  }
});

test.for([
  ['a view', 'create view shown as select * from sundial', 'shown'],
  ['a partitioned table', 'create table parted (id integer) partition by list (id)', 'parted'],
  ['a parent of others', 'create table parent (id integer); create table child () inherits (parent)', 'parent'],
  ['a child of another', 'create table other (id integer); create table heir () inherits (other)', 'heir'],
] as const)('%s is not watched', async ([, definition, name]) => {
  await database.sql(definition);
  await expect(database.sql('select vitrine_watch($1)', [name])).rejects.toThrow(`${name} cannot be watched`);
});
