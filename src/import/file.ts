import { FileColumns } from './formats/columns.ts';
import type { Draft, Format } from './formats/format.ts';
import { chooseFormat } from './formats/formats.ts';
import type { Counts, ImportContext, ImportKind } from './kind.ts';
import type { ReadOptions } from './options.ts';
import { placeOf, type SourceRecord } from './record.ts';
import { RowReader } from './rows.ts';
import { peek, readRecords } from './source/source.ts';
import type { Source } from './source/text.ts';
import { mergeStage } from './write/merge.ts';
import { createStages, INNER_STAGE, indexStages, insertIntoStages, STAGE } from './write/stage.ts';

export interface ImportOptions
  extends ReadOptions,
    Pick<ImportContext, 'client' | 'prune' | 'onFault'>,
    Partial<Pick<ImportContext, 'onWarning' | 'onProgress'>> {
  readonly source: Source;
  /** What the file may hold. */
  readonly kinds: readonly ImportKind[];
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
  const { client, source, key = 'slug', onFault, onWarning = () => {}, onProgress = () => {} } = options;
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
  const columns = new FileColumns(format, options, mapped);
  // What one record lacks, as in XML, another may have: then the file has the column.
  for (const { fields } of head) columns.rename(fields);
  const context: ImportContext = {
    ...options,
    kind,
    fileFormat: format,
    columnOf: (field, draft) => draft?.columns?.[field] ?? columns.columnOf(field),
    onWarning,
    onProgress,
  };
  const reader = format.open(columns);
  const draftsOf = ({ fault, ...record }: SourceRecord): readonly Draft[] => {
    const row = { ...record, fields: columns.rename(record.fields) };
    if (!fault) return reader.read(row);
    onFault({ ...placeOf(record), ...fault });
    reader.readBroken?.(row);
    return [];
  };
  const rows = new RowReader(context);

  await createStages(context);
  for await (const batch of records) {
    await insertIntoStages(client, rows.read(batch.flatMap(draftsOf)));
    onProgress('reading', rows.stagedRows);
  }
  await insertIntoStages(client, rows.read(reader.end?.() ?? []));
  await indexStages(context);
  const counts = await mergeStage(context);
  if (columns.otherLanguages.size > 0) {
    const { all = [], areConfigured } = options.languages ?? {};
    const codes = areConfigured ? all.map(({ code }) => code).join(', ') : 'not set';
    onWarning(`columns in no language of LANGUAGES (${codes}): ${[...columns.otherLanguages].join(', ')}`);
  }
  await client.query(`drop table ${STAGE}; drop table if exists ${INNER_STAGE}`);
  return { ...counts, kind, format, container, unusedColumns: [...columns.unused] };
};
