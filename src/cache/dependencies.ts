import type { LateValue } from './late-value.ts';
import type { TableTags, Tag, TagVersions } from './tags.ts';

/** A response that depends on more tags depends on any row instead. */
const MAX_TAGS = 64;

/** Collects what resolvers and loaders say about the response of one operation, so that the cache knows how long it holds. */
export class Dependencies {
  readonly #tags: Pick<TagVersions, 'of'>;
  readonly tags = new Set<Tag>();
  /** The late values that the response has, by their keys. */
  readonly late = new Map<string, LateValue>();
  #isWatched = true;
  #neverChanges = false;
  /** The tables whose rows the response lists: it holds until one of them next changes with time alone. */
  readonly tables = new Set<string>();
  maxAgeMs = Number.POSITIVE_INFINITY;
  changesMs = Number.POSITIVE_INFINITY;
  endsMs = Number.POSITIVE_INFINITY;
  mayEnd = false;
  /** The reads miss no commit that was acknowledged before, by `performance.now()`. Undefined: they must be as new as possible. */
  asOfMs: number | undefined;
  /** When the operation began, by `performance.now()`. Undefined as above. */
  readonly openedMs: number | undefined;
  /** 404: the response says that there is nothing. */
  status: 200 | 404 = 200;
  /** Whether giving the response takes late values, even where nothing was found that has one: then no cache outside may keep it. */
  takesLate = false;

  constructor(tags: Pick<TagVersions, 'of'>, openedMs?: number) {
    this.#tags = tags;
    this.asOfMs = openedMs;
    this.openedMs = openedMs;
  }

  /** Rows are read from a server that may miss commits after this time. */
  readsAsOf(ms: number): void {
    if (this.asOfMs !== undefined && ms < this.asOfMs) this.asOfMs = ms;
  }

  /** A row vanished between two reads: the one that refers to it has changed as well. All is read again, and from the database alone. */
  readAgain(): void {
    this.late.clear();
    this.asOfMs = undefined;
  }

  add(table: string): void {
    const tags = this.#tagsOf(table);
    if (!tags) return;
    this.tables.add(table);
    this.tags.add(tags.whole);
    this.tags.add(tags.anyRow);
  }

  /** The response shows this row, or that there is none. Where that changes with time alone, call {@link holdsUntil} too. */
  addRow(table: string, id: number): void {
    const tags = this.#tagsOf(table);
    if (tags) this.#add(tags, tags.row(id));
  }

  addGroup(table: string, id: number): void {
    const tags = this.#tagsOf(table);
    if (!tags) return;
    this.tables.add(table);
    this.#add(tags, tags.group(id));
  }

  /** The response shows something whose changes are notified by nobody: it is not kept. */
  addUnknown(): void {
    this.#isWatched = false;
  }

  addNothing(): void {
    this.#neverChanges = true;
  }

  /** Whether each change of the response is notified. Where no loader has said what the response depends on, it may change unnoticed. */
  get isWatched(): boolean {
    return this.#neverChanges || (this.#isWatched && this.tags.size > 0);
  }

  holdsFor(ms: number): void {
    if (ms < this.maxAgeMs) this.maxAgeMs = ms;
  }

  /** The response changes with time alone at this time, in the database's milliseconds. */
  holdsUntil(ms: number): void {
    if (ms < this.changesMs) this.changesMs = ms;
  }

  /** The response shows something that ends at this time, in the database's milliseconds: from then on it is not given during an outage either. */
  showsUntil(ms: number): void {
    if (ms < this.endsMs) this.endsMs = ms;
  }

  /** The response shows something that may end at an unknown time: as {@link showsUntil}, at the next change of its tables with time alone. */
  showsUntilNextChange(): void {
    this.mayEnd = true;
  }

  #tagsOf(table: string): TableTags | undefined {
    const tags = this.#tags.of(table);
    if (!tags) this.addUnknown();
    return tags;
  }

  #add({ whole, anyRow }: TableTags, tag: Tag): void {
    this.tags.add(whole);
    this.tags.add(this.tags.size < MAX_TAGS ? tag : anyRow);
  }
}
