import type { ClientBase } from 'pg';
import { oneRow } from '../database/connection.ts';
import { OperatorError } from '../errors.ts';

interface PruneOptions {
  readonly client: ClientBase;
  /** Whether the operator has agreed beforehand. */
  readonly isAgreed?: boolean;
  readonly isDryRun: boolean;
}

/** A file that lacks more of the catalogue may be the wrong one, or be cut off. */
const LARGEST_SHARE = 0.2;

/** The products on sale, and their variants, with whether a file of this run has had them so far. */
const CANDIDATES = 'pg_temp.vitrine_prune';

/** Takes products off sale, and deletes variants, after the files of a run, all in one transaction. */
export class Prune {
  /** The product of the variant `t` is in no file so far, so that others get its variants. */
  readonly isGone =
    `exists (select from ${CANDIDATES} c where (c.of, c.id) = ('product', t.product_id) and not c.is_kept)`;
  readonly #options: PruneOptions;
  /** The tables whose rows are in a file. */
  readonly #tables = new Set<string>();

  private constructor(options: PruneOptions) {
    this.#options = options;
  }

  /** Begins inside the transaction of a run. Notes which products are on sale: one that another writer adds during the import stays. */
  static async begin(options: PruneOptions): Promise<Prune> {
    const { client } = options;
    await client.query(`
      create temporary table vitrine_prune on commit drop as
        select 'product' as of, id, id as product_id, false as is_kept from product where status = 'ON_SALE'
        union all
        select 'product_variant', v.id, p.id, false from product_variant v join product p on p.id = v.product_id where p.status = 'ON_SALE';
      create index on ${CANDIDATES} (id, of)`);
    return new Prune(options);
  }

  /** Keeps what a staging table has, also in rows that are rejected later. */
  async keep(table: string, stage: string): Promise<void> {
    this.#tables.add(table);
    await this.#options.client.query(
      `update ${CANDIDATES} c set is_kept = true from ${stage} s where c.of = $1 and c.id = s.target_id and not c.is_kept`,
      [table],
    );
  }

  /**
   * After the files, takes the products off sale that none of them had, and deletes such variants of the others.
   * @throws OperatorError if it must not be
   */
  async end(rejected: number): Promise<void> {
    const { client, isAgreed = false, isDryRun } = this.#options;
    if (!this.#tables.has('product')) throw new OperatorError('--prune needs a file of products: there was none.');
    if (rejected > 0 && !isAgreed) {
      console.error('Nothing was taken off sale, because some rows were rejected: correct them, or say --yes.');
      return;
    }
    await this.#assertFew('product', 'not c.is_kept', 'products on sale', 'taken off sale');
    // Nobody knows which variants a rejected product or variant has.
    const isVariantGone = `not c.is_kept and exists (
      select from ${CANDIDATES} p where (p.of, p.id) = ('product', c.product_id) and p.is_kept)`;
    const prunesVariants = this.#tables.has('product_variant') && rejected === 0;
    if (prunesVariants) await this.#assertFew('product_variant', isVariantGone, 'variants', 'deleted');
    const { rowCount } = await client.query(`
      update product t set status = 'OFF_SALE', updated_at = now() from ${CANDIDATES} c
      where (c.of, c.id) = ('product', t.id) and not c.is_kept and t.status = 'ON_SALE'`);
    const dryRun = isDryRun ? 'dry run, nothing is stored: ' : '';
    console.log(`${dryRun}products that no file has: ${rowCount} taken off sale`);
    if (!prunesVariants) return;
    const { rowCount: deleted } = await client.query(
      `delete from product_variant t using ${CANDIDATES} c where (c.of, c.id) = ('product_variant', t.id) and ${isVariantGone}`,
    );
    console.log(`${dryRun}variants that no file has: ${deleted} deleted`);
  }

  /** Where much is missing, the operator has to have agreed. */
  async #assertFew(table: string, isMissing: string, what: string, end: string): Promise<void> {
    const { client, isAgreed = false, isDryRun } = this.#options;
    const { missing, total } = await oneRow<{ missing: number; total: number }>(
      client,
      `select count(*) filter (where ${isMissing})::int as missing, count(*)::int as total
       from ${CANDIDATES} c where c.of = $1`,
      [table],
    );
    if (missing <= total * LARGEST_SHARE || isAgreed || isDryRun) return;
    const question = `${missing} of ${total} ${what} are in no file, and would be ${end}.`;
    throw new OperatorError(`${question} If that is right, say --yes. Nothing was imported.`);
  }
}
