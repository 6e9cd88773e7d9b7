/**
 * Stands in a row for a number that each request gets its own of: how often a notice has been viewed. It can be written into an answer, where
 * {@link fillSlots} puts the number, and nothing else: the view is counted after the operation has succeeded.
 */
export class ViewCountPlaceholder {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  /** What stands in the answer: JSON text holds no NUL. https://www.rfc-editor.org/rfc/rfc8259#section-7 */
  get text(): string {
    return textOf(this.id);
  }

  [Symbol.toPrimitive](): never {
    throw new Error(
      'The number of a view is not known before the operation has succeeded: no resolver can compute with it.',
    );
  }
}

const textOf = (id: number): string => `\0${id}\0`;

/**
 * The JSON text of data from the reference executor, which holds the slots themselves.
 * @param ids of the slots
 */
export const writeSlots = (data: unknown, ids: Iterable<number>): string => {
  let text = JSON.stringify(data, (_, value: unknown) => (value instanceof ViewCountPlaceholder ? value.text : value));
  for (const id of ids) text = text.replaceAll(JSON.stringify(textOf(id)), textOf(id));
  return text;
};

/** Puts numbers into their slots. @param numbers by the ids of the slots */
export const fillPlaceholders = (text: string, numbers: ReadonlyMap<number, number>): string => {
  let filled = text;
  for (const [id, number] of numbers) filled = filled.replaceAll(textOf(id), `${number}`);
  return filled;
};

/**
 * Thrown where the value of a field breaks the schema's word, or an argument has no value. The compiled program only knows how to succeed:
 * whatever goes wrong is given to the reference executor, which finds it again and says it as the specification has it.
 */
export class NotCompiled extends Error {}
