/** A power of two. */
const FIRST_PLACES = 256;

interface Entry<Value> {
  readonly key: string;
  readonly number: number;
  readonly value: Value;
}

/**
 * Values by texts, each for a short time: a hash table, whose entries stand at the first free place from that of their number on.
 *
 * No Map and no Set: whenever one has made room, by growing, shrinking or after deletions, V8 lets its last table refer to the next (Node 24). Once one of
 * them is in the old generation, all later ones outlive every collection of young garbage, with the keys and values in them. No object without a prototype: V8
 * interns its keys.
 */
export class ShortLived<Value> {
  #entries: (Entry<Value> | undefined)[] = emptyPlaces(FIRST_PLACES);
  #count = 0;
  // One alone, as where requests are answered one after another, is in no table.
  #latest: Omit<Entry<Value>, 'number'> | undefined;

  get(key: string): Value | undefined {
    const latest = this.#latest;
    if (latest?.key === key) return latest.value;
    return this.#count > 0 ? this.#entries[this.#placeOf(key, numberOf(key))]?.value : undefined;
  }

  set(key: string, value: Value): void {
    const latest = this.#latest;
    this.delete(key);
    if (latest && latest.key !== key) this.#put({ ...latest, number: numberOf(latest.key) });
    this.#latest = { key, value };
  }

  delete(key: string): void {
    if (this.#latest?.key === key) this.#latest = undefined;
    else if (this.#count > 0) this.#remove(this.#placeOf(key, numberOf(key)));
  }

  /** Where the entry of a key is, or would be. */
  #placeOf(key: string, number: number): number {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let place = number & mask;
    for (let entry = entries[place]; entry && !(entry.number === number && entry.key === key); entry = entries[place]) {
      place = (place + 1) & mask;
    }
    return place;
  }

  #put(entry: Entry<Value>): void {
    if (this.#count * 2 >= this.#entries.length) this.#grow();
    this.#entries[this.#placeOf(entry.key, entry.number)] = entry;
    this.#count += 1;
  }

  /** Those behind it that could no longer be found move up. */
  #remove(place: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    if (entries[place] === undefined) return;
    this.#count -= 1;
    let free = place;
    for (let at = (free + 1) & mask; ; at = (at + 1) & mask) {
      const entry = entries[at];
      if (entry === undefined) break;
      const isFirstPlaceBehindFree = ((at - (entry.number & mask)) & mask) < ((at - free) & mask);
      if (isFirstPlaceBehindFree) continue;
      entries[free] = entry;
      free = at;
    }
    entries[free] = undefined;
  }

  #grow(): void {
    const entries = this.#entries;
    this.#entries = emptyPlaces(entries.length * 2);
    for (const entry of entries) if (entry) this.#entries[this.#placeOf(entry.key, entry.number)] = entry;
  }
}

const emptyPlaces = <Value>(count: number): (Entry<Value> | undefined)[] => Array.from<undefined>({ length: count });

/** FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/. @param from of which character on; below 0 for all */
export const numberOf = (key: string, from = 0): number => {
  let number = 0x811c9dc5;
  for (let index = Math.max(0, from); index < key.length; index += 1) {
    number = Math.imul(number ^ key.charCodeAt(index), 0x01000193);
  }
  return number >>> 0;
};
