import { randomBytes } from 'node:crypto';

/** The caller's `x-request-id` where it is short and can go into a log as it is, else a new one. */
export type RequestIds = (given: string | string[] | undefined) => string;

const SANE = /^[\w.:+/=@-]{1,128}$/;

/** New ids are random as a whole and counted within the process: a random one for each would cost more than finding an answer in memory. */
export const createRequestIds = (): RequestIds => {
  const prefix = randomBytes(12).toString('base64url');
  let count = 0;
  return (given) => {
    if (typeof given === 'string' && SANE.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
};
