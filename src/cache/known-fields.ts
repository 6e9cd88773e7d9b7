import { LRUCache } from 'lru-cache';
import { inOnePiece } from '../fast-path/own-memory.ts';
import type { FreshnessMonitor } from './freshness-monitor.ts';
import type { CacheHints, ReadPart } from './hints.ts';
import type { KnownRows } from './known-rows.ts';
import { createSightings } from './sightings.ts';
import type { TagVersions } from './tags.ts';

/**
 * The JSON of root fields that earlier operations wrote of known rows, while nothing of it has changed since: what several documents show (a menu, a
 * shelf) is put together once.
 */
export interface KnownFields {
  /** For one operation, before it reads anything. Undefined where it may not be answered of what is known. @param now of the operation */
  readonly begin: (hints: CacheHints, now: Date) => FieldsOfOperation | undefined;
  /** In use. */
  readonly bytes: () => number;
}

/** What is found and kept in the turn in which the operation began: later, what is known is of another time. */
export interface FieldsOfOperation {
  /** The hints learn what the field depends on. @param key of field, selection and arguments */
  readonly find: (key: string) => KnownField | undefined;
  /** Keeps a field that was written without a read, once it was asked for twice. The operation depends on all that the field does. */
  readonly keep: (key: string, field: WrittenField) => void;
}

export interface WrittenField extends Pick<KnownField, 'rows'> {
  readonly chars: number;
  /** Called where the field is kept: the text would be put together for nothing. */
  readonly text: () => string;
}

export interface KnownField {
  readonly text: string;
  /** How many rows its lists have. */
  readonly rows: number;
}

interface KeptField extends KnownField, ReadPart {
  /** When the operation began, and when what it shows changes with time alone, in the database's milliseconds. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly bytes: number;
}

interface Options {
  readonly knownRows: Pick<KnownRows, 'mayUse'>;
  readonly tagVersions: TagVersions;
  readonly freshnessMonitor: Pick<FreshnessMonitor, 'isLost' | 'nextChangeMs'>;
  /** 0 keeps nothing. */
  readonly maxBytes: number;
}

/** Objects, and what it depends on. */
const OVERHEAD_BYTES = 1000;

export const createKnownFields = ({ knownRows, tagVersions, freshnessMonitor, maxBytes }: Options): KnownFields => {
  if (maxBytes === 0) return { begin: () => undefined, bytes: () => 0 };
  const known = new LRUCache<string, KeptField>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  const sightings = createSightings(maxBytes);

  const untilMsOf = ({ tables, changesMs }: CacheHints): number => {
    let untilMs = changesMs;
    // While a next change is not known, it may be over already.
    for (const table of tables) untilMs = Math.min(untilMs, freshnessMonitor.nextChangeMs(table) ?? 0);
    return untilMs;
  };

  return {
    bytes: () => known.calculatedSize,
    begin: (hints, now) => {
      if (hints.countsViews || !knownRows.mayUse(hints)) return undefined;
      const { sequence } = tagVersions;
      const nowMs = now.getTime();
      return {
        find: (key) => {
          const found = known.get(key);
          const isOver = !found || nowMs < found.sinceMs || nowMs >= found.untilMs;
          if (isOver || tagVersions.hasChanged(found)) return undefined;
          hints.include(found);
          return found;
        },
        keep: (key, { text, chars, rows }) => {
          const bytes = OVERHEAD_BYTES + (chars + key.length) * 2;
          // What shows a view count is soon too old.
          if (hints.maxAgeMs !== Number.POSITIVE_INFINITY || !sightings.see(key, bytes)) return;
          // All that the operation depends on so far: a loader says once what several fields show.
          const { tags, lists, tables, changesMs, endsMs } = hints;
          const read: KeptField = {
            text: inOnePiece(text()),
            rows,
            tags: [...tags],
            lists,
            tables: [...tables],
            changesMs,
            endsMs,
            trueAt: sequence,
            sinceMs: nowMs,
            untilMs: untilMsOf(hints),
            bytes,
          };
          if (nowMs < read.untilMs && !freshnessMonitor.isLost() && !tagVersions.hasChanged(read)) known.set(key, read);
        },
      };
    },
  };
};
