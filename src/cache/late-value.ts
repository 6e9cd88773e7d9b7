/**
 * A value that is filled in last, for each request and with an effect of its own: which view of a notice it is. A row holds this in the
 * value's place, and a response body its text, so that a response can be kept and the value be taken after its operation has succeeded.
 */
export class LateValue {
  /** The same for all that are one value for a request, such as `notice 17`. */
  readonly key: string;
  /**
   * Takes the value for one request, and resolves after the commit; to null where that which has the value is gone. It never waits for longer
   * than the timeout of the database.
   */
  readonly take: () => Promise<number | null>;

  constructor(key: string, take: LateValue['take']) {
    this.key = key;
    this.take = take;
  }

  /** The text that stands in a body: JSON text holds no NUL. https://www.rfc-editor.org/rfc/rfc8259#section-7 */
  get text(): string {
    return lateText(this.key);
  }

  toJSON(): string {
    return this.text;
  }

  [Symbol.toPrimitive](): never {
    throw new Error('A late value is not known before the operation has succeeded: no resolver can compute with it.');
  }
}

export const lateText = (key: string): string => `\0${key}\0`;

/** The JSON text of data of graphql-js, which holds late values themselves. */
export const writeLate = (data: unknown, late: Iterable<LateValue>): string => {
  let json = JSON.stringify(data);
  for (const { text } of late) json = json.replaceAll(JSON.stringify(text), text);
  return json;
};

/** Values by the keys of their late values; null where there is nothing any more. */
type TakenValues = ReadonlyMap<string, number | null>;

export const takeLate = async (late: Iterable<LateValue>): Promise<TakenValues> =>
  new Map(await Promise.all([...late].map(async ({ key, take }) => [key, await take()] as const)));

/** Puts values in the places of their late values in a result of graphql-js. */
export const replaceLate = (result: object, values: TakenValues): void => {
  for (const [name, part] of Object.entries(result)) {
    if (part instanceof LateValue) (result as Record<string, unknown>)[name] = values.get(part.key) ?? null;
    else if (typeof part === 'object' && part !== null) replaceLate(part, values);
  }
};
