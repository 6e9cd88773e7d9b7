import type pg from 'pg';
import type { DatabaseClient } from '../database/client.ts';
import type { Beat } from './beat.ts';
import type { Table } from './changes.ts';
import type { ProductChange } from './product-change.ts';

/** How a pulse learns of changes: by being told, or by not trusting what it knows for long. */
export interface ChangeSource {
  /** Makes a connection that was just opened ready for beats; from then on, changes are told. @throws OperatorError where it cannot be told any */
  readonly prepare: (client: DatabaseClient, onChange: (change: Table | ProductChange) => void) => Promise<void>;
  /** One round trip, sent at once. Where the tables are locked, `beatAgain` is told as the one that counts is sent. */
  readonly beat: (client: pg.Client, behindMs: number, beatAgain: () => void) => Promise<Beat | undefined>;
  /** Whether every change is told before the beat that follows its commit returns. */
  readonly tellsChanges: boolean;
}
