import type { ClientBase } from 'pg';
import { FileColumns } from './formats/columns.ts';
import type { Draft, Format } from './formats/format.ts';
import { chooseFormat } from './formats/formats.ts';
import type { Counts, ImportKind, WriteContext } from './kind.ts';
import type { ReadOptions } from './options.ts';
import { type Fault, placeOf, type SourceRecord } from './record.ts';
import { RowReader } from './rows.ts';
import { peek, readRecords } from './source/source.ts';
import type { Source } from './source/text.ts';
import { mergeStage } from './write/merge.ts';
import { createStage, INNER_STAGE, indexStage, insertIntoStage, STAGE } from './write/stage.ts';

export interface ImportOptions extends ReadOptions {
  readonly client: ClientBase;
  readonly source: Source;
  /** What the file may hold. */
  readonly kinds: readonly ImportKind[];
  /** What withdraws the rows that no file has, after all files. */
  readonly prune?: WriteContext['prune'];
  readonly onFault: (fault: Fault) => void;
  readonly onWarning?: (text: string) => void;
  /** Called with what is being done, and how many rows are through it. */
  readonly onProgress?: (step: string, rows: number) => void;
  readonly signal?: AbortSignal;
}

/** What was imported from a file. */
export interface Imported extends Counts {
  readonly kind: ImportKind;
  readonly format: Format;
  readonly container: string;
  /** Columns of the file that are not read. */
  readonly unusedColumns: readonly string[];
}

/**
 * Imports one file, inside a transaction of the caller: source → format → fields → staging table → catalogue. It is staged to its end, in
 * constant memory, before the catalogue is changed.
 * @throws OperatorError if the file as a whole cannot be imported
 */
export const importFile = async (options: ImportOptions): Promise<Imported> => {
  const { client, source, key = 'slug', prune, onFault, onWarning = () => {}, onProgress = () => {} } = options;
  const { signal = new AbortController().signal } = options;
  const { container, batches } = await readRecords(source, signal, options);
  const {
    first: [head = []],
    all: records,
  } = await peek(batches, 1);
  const kinds = options.kinds.map((each) => (each.otherKey === key ? { ...each, key } : each));
  const { format, mapped } = chooseFormat(options, kinds, source.name, head);
  const kind = kinds.find(({ table }) => table === format.kind);
  if (!kind) throw new Error(`There is no import kind for the table ${format.kind} of the format ${format.name}.`);
  const innerKind = kinds.find(({ table }) => table === kind.innerTable);
  const columns = new FileColumns(format, options, mapped);
  // What one record lacks, as in XML, another may have: then the file has the column.
  for (const { fields } of head) columns.rename(fields);
  const reader = format.open(columns);
  const draftsOf = ({ fault, ...record }: SourceRecord): readonly Draft[] => {
    const row = { ...record, fields: columns.rename(record.fields) };
    if (!fault) return reader.read(row);
    onFault({ ...placeOf(record), ...fault });
    reader.readBroken?.(row);
    return [];
  };
  const columnOf = (field: string, draft?: Pick<Draft, 'columns'>): string =>
    draft?.columns?.[field] ?? columns.columnOf(field);
  const rows = new RowReader({ ...options, kind, innerKind, fileFormat: format, columnOf, onFault });

  await createStage(client, kind);
  for await (const batch of records) {
    await insertIntoStage(client, rows.read(batch.flatMap(draftsOf)));
    onProgress('reading', rows.stagedRows);
  }
  await insertIntoStage(client, rows.read(reader.end?.() ?? []));
  await indexStage(client, kind);
  const counts = await mergeStage({
    client,
    kind,
    innerKind,
    options,
    format,
    stagedRows: rows.stagedRows,
    prune,
    columnOf,
    onFault,
    onWarning,
    onProgress,
  });
  if (columns.otherLanguages.size > 0) {
    const { all = [], areConfigured } = options.languages ?? {};
    const codes = areConfigured ? all.map(({ code }) => code).join(', ') : 'not set';
    onWarning(`columns in no language of LANGUAGES (${codes}): ${[...columns.otherLanguages].join(', ')}`);
  }
  await client.query(`drop table ${STAGE}; drop table if exists ${INNER_STAGE}`);
  return { ...counts, kind, format, container, unusedColumns: [...columns.unused] };
};
