/** A date and a time of ISO 8601 with its offset: without one, it would be a time of no certain place. RFC 3339 has no hour 24. */
const TIME = /^(\d{4}-\d\d-\d\d)T(?!24)\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The time that a client gives, to the millisecond, further digits cut off; undefined for what is none. */
export const parseTime = (value: unknown): Date | undefined => {
  const [text, day] = (typeof value === 'string' && TIME.exec(value)) || [];
  if (text === undefined || day === undefined || !isDay(day)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
};

/** Whether a calendar has the day: JavaScript reads 30 February as 2 March. @param text such as 2026-11-20 */
export const isDay = (text: string): boolean => {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
};
