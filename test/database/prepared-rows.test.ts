import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { connectionConfig } from '../../src/database/connection.ts';
import { AS_TEXT, createDatabase } from '../../src/database/pool.ts';
import { RowText } from '../../src/fast-path/row-text.ts';
import { createTestDatabase } from '../support/database.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());

/** One connection. */
const open = () => {
  const log = pino({ level: 'silent' });
  const { pool } = createDatabase({ connection: connectionConfig(database.url), size: 1, timeoutMs: 5000, log });
  const read = async (name: string | undefined, text: string, values: readonly unknown[]) => {
    const { rows, fields } = await pool.query({
      text,
      values: [...values],
      rowMode: 'array',
      types: AS_TEXT,
      ...(name && { name }),
    });
    const texts = (rows as (RowText | string[])[]).map((row) =>
      row instanceof RowText ? fields.map((_, index) => row.column(index)) : row,
    );
    const columns = fields.map((field) => [field.name, field.dataTypeID]);
    return { rows: texts, columns, areInOnePiece: rows.every((row) => row instanceof RowText) };
  };
  return { read, [Symbol.asyncDispose]: () => pool.end() };
};

const VALUES = fc.tuple(
  fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  fc.option(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))),
  fc.option(fc.date({ min: new Date('0001-01-01Z'), max: new Date('+020000-01-01Z'), noInvalidDate: true })),
  fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  fc.array(fc.string({ unit: 'grapheme-ascii' })),
);

test('a statement that its connection has prepared reads each value as the driver sends it', async () => {
  await using connection = open();
  const { read } = connection;
  const text = 'select $1::int as a, $2::text as b, $3::timestamptz as c, $4::int[] as d, $5::text[] as e';
  await fc.assert(
    fc.asyncProperty(VALUES, async (all) => {
      // A list of texts is left to the driver.
      for (const values of [all, all.with(4, null)]) {
        const { rows, columns } = await read(undefined, text, values);
        expect(await read('values', text, values)).toMatchObject({ rows, columns });
      }
    }),
    { numRuns: 200 },
  );
});

test('it gives all rows, nulls among them, however many there are', async () => {
  await using connection = open();
  const text = `select n, nullif(n % 3, 0) as third, repeat('é', 40) as text from generate_series(1, $1::int) n`;
  for (const [time, count] of [2, 0, 1, 5000, 3].entries()) {
    const { rows, columns, areInOnePiece } = await connection.read('series', text, [count]);
    expect(areInOnePiece).toBe(time > 0);
    expect(columns.map(([name]) => name)).toEqual(['n', 'third', 'text']);
    expect(rows).toEqual(
      Array.from({ length: count }, (_, at) => [
        `${at + 1}`,
        (at + 1) % 3 === 0 ? null : `${(at + 1) % 3}`,
        'é'.repeat(40),
      ]),
    );
  }
});

test('it reads texts of every length, in ASCII and in other scripts', async () => {
  await using connection = open();
  const text = `select repeat('a', n) as a, null as b, repeat('ä茶', m) as c, repeat('z', n) as d from (select $1::int n, $2::int m) as lengths`;
  for (const long of [0, 1, 127, 128, 255, 256, 40_000, 8_400_000]) {
    for (const short of [0, 1, 43]) {
      const { rows } = await connection.read('lengths', text, [long, short]);
      expect(rows[0]?.map((column) => column?.length)).toEqual([long, undefined, short * 2, long]);
      expect(rows).toEqual([['a'.repeat(long), null, 'ä茶'.repeat(short), 'z'.repeat(long)]]);
    }
  }
});

test('it takes few bytes of other scripts for no ASCII', async () => {
  await using connection = open();
  for (let count = 0; count < 10; count += 1) {
    const { rows } = await connection.read('few', `select repeat('é', $1::int) as a, 'b' as b`, [count]);
    expect(rows).toEqual([['é'.repeat(count), 'b']]);
  }
});

test('where it fails, the connection serves the next one', async () => {
  await using connection = open();
  const { read } = connection;
  const divide = (by: number) => read('divide', 'select 6 / n as result from unnest(array[3, $1::int]) n', [by]);
  expect((await divide(2)).rows).toEqual([['2'], ['3']]);
  await expect(divide(0)).rejects.toMatchObject({ code: '22012' });
  expect((await divide(1)).rows).toEqual([['2'], ['6']]);
});
