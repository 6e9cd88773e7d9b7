import type { CategoryStep } from '../fields/category-path.ts';

interface Node {
  readonly place: string;
  readonly parent: string | undefined;
  readonly name: string;
}

/** The catalogue's categories by slug, and by place: below which parent, under which name in any case. */
export class CategoryTree {
  readonly #nodes = new Map<string, Node>();
  readonly #slugsAt = new Map<string, Set<string>>();
  readonly #taken = new Set<string>();
  readonly #lastNumber = new Map<string, number>();

  /** Keeps a slug from being given to another category. */
  reserve(slug: string): void {
    this.#taken.add(slug);
  }

  parentOf(slug: string): string | undefined {
    return this.#nodes.get(slug)?.parent;
  }

  nameOf(slug: string): string {
    return this.#nodes.get(slug)?.name ?? slug;
  }

  /** Adds a category, or moves it. */
  place(slug: string, parent: string | undefined, name: string): void {
    const place = placeOf(parent, name);
    const old = this.#nodes.get(slug)?.place;
    if (old === place) return;
    if (old) this.#slugsAt.get(old)?.delete(slug);
    this.#nodes.set(slug, { place, parent, name });
    this.reserve(slug);
    this.addName(slug, parent, name);
  }

  /** Makes a category known under another name too. */
  addName(slug: string, parent: string | undefined, name: string): void {
    const place = placeOf(parent, name);
    this.#slugsAt.set(place, (this.#slugsAt.get(place) ?? new Set()).add(slug));
  }

  /** The slug of the category below a parent under the first known one of some names; if there is none, a free slug like the proposed one. */
  find(parent: string | undefined, names: readonly string[], proposed: string): string {
    for (const name of names) {
      const slugs = this.#slugsAt.get(placeOf(parent, name));
      if (slugs?.has(proposed)) return proposed;
      const [first] = slugs ?? [];
      if (first !== undefined) return first;
    }
    return this.#freeSlug(proposed);
  }

  /** The slug of the category that a path leads to. Missing categories on the path are added. */
  follow(path: readonly CategoryStep[]): string | undefined {
    let parent: string | undefined;
    for (const [slug, name, isByName] of path) {
      const found = isByName ? this.find(parent, [name ?? ''], slug) : slug;
      if (name !== null && !this.#nodes.has(found)) this.place(found, parent, name);
      parent = found;
    }
    return parent;
  }

  #freeSlug(slug: string): string {
    for (let number = this.#lastNumber.get(slug) ?? 1; ; number += 1) {
      const candidate = number === 1 ? slug : `${slug}-${number}`;
      if (this.#taken.has(candidate)) continue;
      this.#lastNumber.set(slug, number);
      return candidate;
    }
  }
}

const placeOf = (parent: string | undefined, name: string): string =>
  JSON.stringify([parent ?? null, name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase()]);
