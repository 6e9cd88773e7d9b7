import { NotCompiled } from './not-compiled.ts';

/**
 * Stands in a row for a number that each request gets its own of: how often a notice has been viewed. It can be written into an answer, where
 * {@link fillSlots} puts the number, and nothing else: a resolver that reckons with it makes the operation one that is executed each time.
 */
export class Slot {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  /** What stands in the answer: JSON text holds no NUL. https://www.rfc-editor.org/rfc/rfc8259#section-7 */
  get text(): string {
    return textOf(this.id);
  }

  [Symbol.toPrimitive](): never {
    throw new NotCompiled();
  }
}

const textOf = (id: number): string => `\0${id}\0`;

/** Puts numbers into their slots. @param numbers by the ids of the slots */
export const fillSlots = (text: string, numbers: ReadonlyMap<number, number>): string => {
  let filled = text;
  for (const [id, number] of numbers) filled = filled.replaceAll(textOf(id), `${number}`);
  return filled;
};
