/** What broke, in words: the first of each kind, and how many there were. */
export interface Findings {
  readonly add: (kind: string, faults: readonly string[]) => void;
  readonly list: () => string[];
}

const SHOWN_OF_A_KIND = 3;

export const createFindings = (): Findings => {
  const kinds = new Map<string, { shown: string[]; count: number }>();
  return {
    add: (kind, faults) => {
      if (faults.length === 0) return;
      const found = kinds.get(kind) ?? { shown: [], count: 0 };
      kinds.set(kind, found);
      found.count += faults.length;
      found.shown.push(...faults.slice(0, SHOWN_OF_A_KIND - found.shown.length));
    },
    list: () =>
      [...kinds].flatMap(([kind, { shown, count }]) => [
        ...shown.map((fault) => `${kind}: ${fault}`),
        ...(count > shown.length ? [`${kind}: … ${count} in all`] : []),
      ]),
  };
};
