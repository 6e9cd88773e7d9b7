import { createInterface } from 'node:readline/promises';
import type { ClientBase } from 'pg';
import { OperatorError } from '../errors.ts';
import type { ImportKind, Withdrawal } from './kind.ts';
import { beginPrune, countMissing, type Missing, withdrawMissing } from './write/prune.ts';

export interface Prune {
  /** After the files, in their transaction. @throws OperatorError if it must not be */
  readonly end: (counts: { readonly rejected: number; readonly tables: ReadonlySet<string> }) => Promise<void>;
}

interface PruneOptions {
  readonly client: ClientBase;
  readonly kinds: readonly ImportKind[];
  /** Whether the operator has agreed beforehand. */
  readonly isAgreed?: boolean;
  readonly isDryRun: boolean;
  /** Whether somebody can be asked. Standard input may be a file of the import. */
  readonly canAsk: boolean;
  readonly signal: AbortSignal;
}

/** A file that lacks more of the catalogue may be the wrong one, or be cut off. */
const LARGEST_SHARE = 0.2;

/** The rows of the import are locked while it waits for an answer. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Takes products off sale that no file of a run has. Begins inside the transaction of the run. */
export const startPrune = async (options: PruneOptions): Promise<Prune> => {
  const { client, kinds, isAgreed = false, isDryRun } = options;
  const kind = kinds.find(isWithdrawable);
  if (!kind) throw new Error('No kind of row can be withdrawn.');
  await beginPrune(client, kind);

  return {
    end: async ({ rejected, tables }) => {
      if (!tables.has(kind.table)) throw new OperatorError(`--prune needs a file of ${kind.plural}: there was none.`);
      if (rejected > 0 && !isAgreed) {
        console.error('Nothing was taken off sale, because some rows were rejected: correct them, or say --yes.');
        return;
      }
      const counts = await countMissing(client);
      if (counts.missing > counts.total * LARGEST_SHARE && !isAgreed && !isDryRun) await confirm(counts, kind, options);
      const withdrawn = await withdrawMissing(client, kind);
      const dryRun = isDryRun ? 'dry run, nothing is stored: ' : '';
      console.log(`${dryRun}${kind.plural} that no file has: ${withdrawn} taken off sale`);
    },
  };
};

type Withdrawable = ImportKind & { readonly withdrawal: Withdrawal };

const isWithdrawable = (kind: ImportKind): kind is Withdrawable => kind.withdrawal !== undefined;

const confirm = async ({ missing, total }: Missing, { plural }: ImportKind, options: PruneOptions): Promise<void> => {
  const question = `${missing} of ${total} ${plural} on sale are in no file, and would be taken off sale.`;
  if (!options.canAsk) throw new OperatorError(`${question} If that is right, say --yes. Nothing was imported.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const answer = await terminal.question(`${question} Go on? [y/N] `, { signal }).catch(() => '');
    if (!/^y(es)?$/i.test(answer.trim())) throw new OperatorError('Not confirmed. Nothing was imported.');
  } finally {
    terminal.close();
  }
};
