const DAY_MS = 86_400_000;
const MAX_DAYS = 4096;

/** Year 10,000, from which on ISO 8601 needs a sign. */
const END_MS = 253_402_300_800_000;

const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/**
 * Writes what `toISOString` writes at a fifth of its cost: responses have many timestamps of few different days. Without it a miss costs 3 % more
 * CPU time (2026-11-22, docs/fast-path.md). It relies on nothing that a new Node could change.
 * @throws RangeError for an invalid date
 */
export const createIsoTime = (): ((moment: Date) => string) => {
  const days = new Map<number, string>();

  const dayOf = (day: number, moment: Date): string => {
    const known = days.get(day);
    if (known !== undefined) return known;
    if (days.size >= MAX_DAYS) days.clear();
    const text = moment.toISOString().slice(0, 11);
    days.set(day, text);
    return text;
  };

  return (moment) => {
    const ms = moment.getTime();
    if (!(ms >= 0 && ms < END_MS)) return moment.toISOString();
    const day = Math.floor(ms / DAY_MS);
    const ofDay = ms - day * DAY_MS;
    const minutes = Math.floor(ofDay / 60_000);
    const hour = Math.floor(minutes / 60);
    const ofMinute = ofDay - minutes * 60_000;
    const second = Math.floor(ofMinute / 1000);
    return `${dayOf(day, moment)}${TWO[hour]}:${TWO[minutes - hour * 60]}:${TWO[second]}.${THREE[ofMinute - second * 1000]}Z`;
  };
};
