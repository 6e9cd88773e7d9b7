import { setTimeout as delay } from 'node:timers/promises';
import type { CommitRecord } from '../support/commit-record.ts';
import type { RestartableDatabase } from '../support/restartable-database.ts';
import { openSession } from '../support/session.ts';
import { PRODUCT_IDS, VIEWED_IDS } from './instance.ts';
import type { Write } from './plan.ts';

/** Writes as the plan has it. What it writes goes into the record, against which answers are held. */
export const createBackOffice = (database: RestartableDatabase, record: CommitRecord) => {
  let cents = 0;

  /** Prices that were never used before. */
  const newPrices = (count: number): Map<number, number> => {
    cents += 1;
    return new Map(PRODUCT_IDS.slice(0, count).map((id) => [id, cents]));
  };

  const inTransaction = async (
    end: 'commit' | 'rollback',
    statements: readonly string[],
    lastsMs = 0,
  ): Promise<void> => {
    await using session = await openSession(database);
    await session.query('begin');
    for (const statement of statements) await session.query(statement);
    if (lastsMs > 0) await delay(lastsMs);
    await session.query(end);
  };

  /** All products at once, as a nightly import has it. */
  const reload = (): Promise<void> => {
    const prices = newPrices(PRODUCT_IDS.length);
    const lines = [...prices].map(
      ([id, price]) => `${id}\\t${1 + (id % 2)}\\tP${id}\\tp${id}\\t${price / 100}\\t2020-01-01`,
    );
    return record.commitPrices(prices, () =>
      inTransaction('commit', [
        'truncate product cascade',
        `copy product (id, category_id, name, slug, price, published_at) from program 'printf "${lines.join('\\n')}\\n"'`,
      ]),
    );
  };

  return {
    lockTable: (lastsMs: number): Promise<void> =>
      inTransaction('rollback', ['lock table product in access exclusive mode'], lastsMs),

    write: async (step: Write): Promise<void> => {
      switch (step.kind) {
        case 'prices':
          return record.commitPrices(newPrices(step.count));
        case 'notice':
          return record.insertNotice(step.startsInMs, step.lastsMs);
        case 'withdrawal':
          return record.withdrawNotice();
        case 'reload':
          return reload();
        case 'rollback':
          return inTransaction('rollback', ['truncate notice', 'update product set price = 999999']);
        case 'table lock':
          return inTransaction('rollback', ['lock table product in access exclusive mode'], step.lastsMs);
        case 'notice lock':
          return inTransaction('rollback', [`select from notice where id in (${VIEWED_IDS}) for update`], step.lastsMs);
      }
    },
  };
};

export type BackOffice = ReturnType<typeof createBackOffice>;
