import type { ClientBase } from 'pg';
import { oneRow } from '../database/client.ts';
import { OperatorError } from '../errors.ts';

interface PruneOptions {
  readonly client: ClientBase;
  /** Whether the operator has agreed beforehand. */
  readonly isAgreed?: boolean;
  readonly isDryRun: boolean;
}

/** A file that lacks more of the catalogue may be the wrong one, or be cut off. */
const LARGEST_SHARE = 0.2;

/** The products on sale, with whether a file of this run has had them so far. */
const CANDIDATES = 'pg_temp.vitrine_prune';

/** Takes products off sale after the files of a run, all in one transaction. */
export class Prune {
  /** The product of the variant `t` is in no file so far, so that others get its variants. */
  readonly isGone = `exists (select from ${CANDIDATES} c where c.id = t.product_id and not c.is_kept)`;
  readonly #options: PruneOptions;
  #hasProducts = false;

  private constructor(options: PruneOptions) {
    this.#options = options;
  }

  /** Begins inside the transaction of a run. Notes which products are on sale: one that another writer adds during the import stays. */
  static async begin(options: PruneOptions): Promise<Prune> {
    await options.client.query(`
      create temporary table vitrine_prune on commit drop as select id, false as is_kept from product where status = 'ON_SALE';
      create index on ${CANDIDATES} (id)`);
    return new Prune(options);
  }

  /** Keeps the products that a staging table has, also in rows that are rejected later. */
  async keep(table: string, stage: string): Promise<void> {
    if (table !== 'product') return;
    this.#hasProducts = true;
    await this.#options.client.query(
      `update ${CANDIDATES} c set is_kept = true from ${stage} s where c.id = s.target_id and not c.is_kept`,
    );
  }

  /**
   * After the files, takes the products off sale that none of them had.
   * @throws OperatorError if it must not be
   */
  async end(rejected: number): Promise<void> {
    const { client, isAgreed = false, isDryRun } = this.#options;
    if (!this.#hasProducts) throw new OperatorError('--prune needs a file of products: there was none.');
    if (rejected > 0 && !isAgreed) {
      console.error('Nothing was taken off sale, because some rows were rejected: correct them, or say --yes.');
      return;
    }
    const { missing, total } = await oneRow<{ missing: number; total: number }>(
      client,
      `select count(*) filter (where not is_kept)::int as missing, count(*)::int as total from ${CANDIDATES}`,
    );
    if (missing > total * LARGEST_SHARE && !isAgreed && !isDryRun) {
      const found = `${missing} of ${total} products on sale are in no file, and would be taken off sale.`;
      throw new OperatorError(`${found} If that is right, say --yes. Nothing was imported.`);
    }
    const { rowCount } = await client.query(`
      update product t set status = 'OFF_SALE', updated_at = now() from ${CANDIDATES} c
      where c.id = t.id and not c.is_kept and t.status = 'ON_SALE'`);
    console.log(
      `${isDryRun ? 'dry run, nothing is stored: ' : ''}products that no file has: ${rowCount} taken off sale`,
    );
  }
}
