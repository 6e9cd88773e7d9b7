import { type CachedResponse, latin1Of } from '../cache/cached-response.ts';

/**
 * Stands in a row for a number that differs for each request: how often a notice has been viewed. It can be written into a response body, where
 * {@link createCountViews} replaces it by the number, and nothing else: the view is counted after the operation has succeeded.
 */
export class ViewCountPlaceholder {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  /** The text that stands in the body: JSON text holds no NUL. https://www.rfc-editor.org/rfc/rfc8259#section-7 */
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
 * The JSON text of data from the reference executor, which holds the placeholders themselves.
 * @param ids of their notices
 */
export const writePlaceholders = (data: unknown, ids: Iterable<number>): string => {
  let text = JSON.stringify(data, (_, value: unknown) => (value instanceof ViewCountPlaceholder ? value.text : value));
  for (const id of ids) text = text.replaceAll(JSON.stringify(textOf(id)), textOf(id));
  return text;
};

/**
 * Counts the views of a response for one request, waits for the commit, and gives the body with this request's own numbers, one character for
 * each byte (`latin1`). Undefined where one of its notices can no longer be read.
 * @param counted the numbers of views that this request has counted already, by the ids of the notices; new ones are added
 * @throws AppError SERVICE_UNAVAILABLE where the views cannot be counted in time
 */
export type CountViews = (
  response: Pick<CachedResponse, 'body' | 'views'>,
  counted?: Map<number, number>,
) => Promise<string | undefined>;

export const createCountViews =
  (viewCounter: CountsView): CountViews =>
  async ({ body, views }, counted = new Map()) => {
    const numbers = await countEach(
      viewCounter,
      views.filter((id) => !counted.has(id)),
    );
    for (const [id, number] of numbers) if (number !== null) counted.set(id, number);
    if (views.some((id) => !counted.has(id))) return undefined;
    let filled = latin1Of(body);
    for (const [id, number] of counted) filled = filled.replaceAll(textOf(id), `${number}`);
    return filled;
  };

export interface CountsView {
  /**
   * Counts a view and gives its number, after the commit; null where there is no notice to view. It never waits for longer than the timeout
   * of the database.
   */
  readonly view: (id: number) => Promise<number | null>;
}

type ViewNumbers = ReadonlyMap<number, number | null>;

/** Counts a view of each notice: its number, or null where it can no longer be read. */
export const countEach = async (viewCounter: CountsView, ids: Iterable<number>): Promise<ViewNumbers> =>
  new Map(await Promise.all([...ids].map(async (id) => [id, await viewCounter.view(id)] as const)));

/** Puts the numbers in the places of the placeholders in a result of graphql-js. */
export const fillPlaceholders = (value: object, numbers: ViewNumbers): void => {
  for (const [key, part] of Object.entries(value)) {
    if (part instanceof ViewCountPlaceholder) (value as Record<string, unknown>)[key] = numbers.get(part.id) ?? null;
    else if (typeof part === 'object' && part !== null) fillPlaceholders(part, numbers);
  }
};
