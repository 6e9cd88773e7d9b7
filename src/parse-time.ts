/** A date and a time of ISO 8601 with its offset: without one, it would be a time of no certain place. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The time that a client gives; undefined for what is none. */
export const parseTime = (value: unknown): Date | undefined => {
  const time = typeof value === 'string' && TIME.test(value) ? new Date(value) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time : undefined;
};
