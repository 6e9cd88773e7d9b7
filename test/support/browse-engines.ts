import { pino } from 'pino';
import { expect } from 'vitest';
import type { BrowseEngine } from '../../src/browse/browse-engine.ts';
import { BrowseIndex } from '../../src/browse/index-engine.ts';
import { createSqlEngine } from '../../src/browse/sql-engine.ts';
import { Dependencies } from '../../src/cache/dependencies.ts';
import { FreshnessMonitor } from '../../src/cache/freshness-monitor.ts';
import { createListen } from '../../src/cache/listen.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { createClock } from '../../src/database/clock.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { createPool } from '../../src/database/pool.ts';
import { createSql } from '../../src/database/sql.ts';
import { FEATURES } from '../../src/features.ts';

export interface BrowseEngines extends AsyncDisposable {
  readonly sql: BrowseEngine;
  /** Throws where the index does not answer. */
  readonly index: BrowseEngine;
  /** The index, or SQL where it does not answer. */
  readonly either: () => BrowseEngine;
  readonly browseIndex: BrowseIndex;
  /** The database's time. */
  readonly now: () => Date;
  readonly logged: Record<string, unknown>[];
}

/** Both engines on one database, as the gateway puts them together, with the index filled. Every question shows what was committed before it. */
export const createBrowseEngines = async (
  { url }: { readonly url: string },
  { maxMb = 256, waitsForIndex = true, languages = [] as readonly (readonly string[])[] } = {},
): Promise<BrowseEngines> => {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const connection = connectionConfig(url);
  const pool = createPool({ connection, pooling: 'none', size: 4, timeoutMs: 20_000, log });
  const clock = createClock();
  const tagVersions = new TagVersions(FEATURES);
  const listen = createListen(FEATURES);
  const freshnessMonitor = new FreshnessMonitor({ connection, listen, clock, tagVersions, freshnessMs: 0, log });
  await freshnessMonitor.connect();
  const database = createSql(pool);
  const browseIndex = new BrowseIndex({
    thread: { databaseUrl: url, maxBytes: maxMb * 1_048_576, languages },
    minProducts: 0,
    freshnessMonitor,
    tagVersions,
    clock,
    log,
  });
  const sql = createSqlEngine(database);
  const over = (other: BrowseEngine): BrowseEngine => {
    const dependencies = new Dependencies(tagVersions);
    dependencies.asOfMs = performance.now();
    return browseIndex.before(other, dependencies);
  };
  const refuse = (): never => {
    throw new Error('the index did not answer');
  };
  await browseIndex.start();
  if (waitsForIndex)
    await expect
      .poll(() => [browseIndex.status().isReady, logged.map(({ msg }) => msg)], { timeout: 60_000 })
      .toEqual([true, expect.anything()]);
  return {
    sql,
    index: over({ search: refuse, suggest: refuse, correct: refuse }),
    either: () => over(sql),
    browseIndex,
    now: () => new Date(clock.nowMs()),
    logged,
    [Symbol.asyncDispose]: async () => {
      await browseIndex.close();
      await freshnessMonitor.close();
      await pool.end();
    },
  };
};
