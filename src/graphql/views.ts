import { type Answer, latin1Of } from '../cache/answer.ts';
import { withDeadline } from '../deadline.ts';
import { databaseUnavailable } from '../errors.ts';
import type { ViewCounter } from '../notice/view-counter.ts';
import { fillSlots } from './compiled/slot.ts';

/**
 * Gives an answer that has slots for views to one request: counts them, waits for the commit, and puts this request's own numbers into the
 * body, which is one character for each byte (`latin1`). Undefined, with nothing counted, where its notice can no longer be read.
 * @throws AppError SERVICE_UNAVAILABLE where the views cannot be counted in time
 */
export type GiveViewed = (answer: Answer) => Promise<string | undefined>;

export const createGiveViewed =
  (viewCounter: ViewCounter, timeoutMs: number): GiveViewed =>
  async ({ body, views }) => {
    const numbers = new Map<number, number>();
    const [id] = views;
    if (id !== undefined && views.length === 1) {
      const number = await withDeadline(viewCounter.view(id), timeoutMs);
      if (number === null) return undefined;
      numbers.set(id, number);
    } else {
      const counted = await withDeadline(Promise.all(views.map(viewCounter.view)), timeoutMs);
      for (const [index, number] of counted.entries()) {
        // Others are counted already, so that the whole cannot be begun again.
        if (number === null) throw databaseUnavailable(new Error('a notice was withdrawn while it was read'));
        numbers.set(views[index] ?? 0, number);
      }
    }
    return fillSlots(latin1Of(body), numbers);
  };
