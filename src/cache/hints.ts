import type { TableTags, Tag, Tags } from './tags.ts';

/** An answer that depends on more tags depends on any row instead. */
const MAX_TAGS = 64;

/** What the resolvers and loaders of one operation say about its answer, for the cache to know how long it holds. */
export class CacheHints {
  readonly #tagsOf: Tags['of'];
  readonly tags = new Set<Tag>();

  /** The tables of which the answer shows whichever rows there are at the time: it holds until that next changes with time alone. */
  readonly tables = new Set<string>();

  maxAgeMs = Number.POSITIVE_INFINITY;
  changesMs = Number.POSITIVE_INFINITY;
  endsMs = Number.POSITIVE_INFINITY;

  /**
   * No commit that was acknowledged before this moment is missed, by `performance.now()`. Undefined where the reads must be as new as can be,
   * because a view is counted beside them.
   */
  asOfMs: number | undefined;

  /** Whether to give the answer is to count views, also where no notice was found: then no cache may keep it. */
  countsViews = false;

  /** The notices whose views the answer leaves slots for: to give it to somebody is to count them. */
  readonly views = new Set<number>();

  constructor({ of }: Pick<Tags, 'of'>) {
    this.#tagsOf = of;
  }

  /** It is read where commits that are younger than this may be missing. */
  readsAsOf(ms: number): void {
    if (this.asOfMs !== undefined && ms < this.asOfMs) this.asOfMs = ms;
  }

  /** The answer shows rows of this table, whichever there are. */
  dependsOn(table: string): void {
    const { whole, anyRow } = this.#tagsOf(table);
    this.tables.add(table);
    this.tags.add(whole);
    this.tags.add(anyRow);
  }

  /** The answer shows this row, or that there is none. When that changes with time alone, {@link holdsUntil} has to say. */
  dependsOnRow(table: string, id: number): void {
    const tags = this.#tagsOf(table);
    this.#add(tags, tags.row(id));
  }

  /** The answer shows which rows are in this group. */
  dependsOnGroup(table: string, id: number): void {
    const tags = this.#tagsOf(table);
    this.tables.add(table);
    this.#add(tags, tags.group(id));
  }

  /** The answer holds for this long at most, whatever the tables do. */
  holdsFor(ms: number): void {
    if (ms < this.maxAgeMs) this.maxAgeMs = ms;
  }

  /** The answer changes by itself at this moment, in the database's milliseconds. */
  holdsUntil(ms: number): void {
    if (ms < this.changesMs) this.changesMs = ms;
  }

  /** The answer shows something that is over from this moment on, in the database's milliseconds: no outage is a reason to show it then. */
  showsUntil(ms: number): void {
    if (ms < this.endsMs) this.endsMs = ms;
  }

  #add({ whole, anyRow }: TableTags, tag: Tag): void {
    this.tags.add(whole);
    this.tags.add(this.tags.size < MAX_TAGS ? tag : anyRow);
  }
}
