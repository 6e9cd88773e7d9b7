import { databaseUnavailable } from '../errors.ts';

/**
 * A value that is filled in last, for each request and with an effect of its own: which view of a notice it is. A row holds this in the
 * value's place, and a response body its text. graphql/late-values.ts tells how it gets there, and how it is filled in.
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

  toJSON(): string {
    return textOf(this.key);
  }

  [Symbol.toPrimitive](): never {
    throw new Error('A late value is not known before the operation has succeeded: no resolver can compute with it.');
  }
}

/** No text of the database is the same: it holds no NUL. https://www.postgresql.org/docs/current/datatype-character.html */
const textOf = (key: string): string => `\0${key}\0`;

/** The late values that one request takes: each once at most, however often its response is made. */
export class TakenValues {
  readonly #values = new Map<string, number>();
  readonly #untilMs: number;

  /** @param untilMs until when somebody waits for the response, by `performance.now()` */
  constructor(untilMs = Number.POSITIVE_INFINITY) {
    this.#untilMs = untilMs;
  }

  /** @returns those taken by now, by their keys: of what is gone there is none @throws AppError SERVICE_UNAVAILABLE */
  async take(late: readonly LateValue[]): Promise<ReadonlyMap<string, number>> {
    if (performance.now() >= this.#untilMs) throw databaseUnavailable();
    const missing = late.filter(({ key }) => !this.#values.has(key));
    const values = await Promise.all(missing.map(async ({ key, take }) => [key, await take()] as const));
    for (const [key, value] of values) if (value !== null) this.#values.set(key, value);
    return this.#values;
  }

  /** Puts those that are taken in the places of their texts. */
  put(json: string): string {
    let filled = json;
    for (const [key, value] of this.#values) filled = filled.replaceAll(JSON.stringify(textOf(key)), `${value}`);
    return filled;
  }

  /** Takes the late values of a JSON text and puts them there. Undefined where one of them is gone. @throws AppError SERVICE_UNAVAILABLE */
  async fill(json: string, late: readonly LateValue[]): Promise<string | undefined> {
    const values = await this.take(late);
    return late.every(({ key }) => values.has(key)) ? this.put(json) : undefined;
  }
}
