import { randomUUID } from 'node:crypto';

const SANE = /^[\w.:+/=@-]{1,128}$/;

/** The caller's `x-request-id` where it is short and can go into a log as it is, else a new one. */
export const requestIdFrom = (given: string | string[] | undefined): string =>
  typeof given === 'string' && SANE.test(given) ? given : randomUUID();
