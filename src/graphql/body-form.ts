import type { ExecutionResult } from 'graphql';
import { bytesOf } from '../cache/cached-response.ts';
import type { Executed } from '../cache/response-cache.ts';

/** The form that a protocol gives to the JSON text of `data`. */
export interface BodyForm {
  /** Part of the cache key: bodies of different forms are different responses. */
  readonly name: string;
  /** The body of a response. Its status is 404 where the data says that there is nothing. */
  readonly toBody: (data: string) => { readonly body: string; readonly status: 200 | 404 };
  readonly toResult: (body: string, status: 200 | 404) => ExecutionResult;
  /** Whether a response with errors has the data beside them. */
  readonly givesPartialData: boolean;
}

export const GRAPHQL_BODY: BodyForm = {
  name: 'graphql',
  toBody: (data) => ({ body: `{"data":${data}}`, status: 200 }),
  toResult: (body) => JSON.parse(body),
  givesPartialData: true,
};

/** A result whose text is written already, for where no plugin of the operator reads results. */
export class WrittenResult implements ExecutionResult {
  readonly data?: never;
  readonly #text: () => string;

  constructor(text: () => string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text();
  }
}

export const textOfResult = (result: ExecutionResult): string =>
  result instanceof WrittenResult ? result.text : JSON.stringify(result);

/**
 * The finished bodies of results, and of the responses that are made of them. A result or a response that a plugin puts in the place of
 * another has none, and so has a result that a plugin has changed.
 */
export class Answers {
  /** Whether plugins of the operator read results: then these are plain objects. */
  readonly areRead: boolean;
  /** Whether each caller gets answers of its own. */
  readonly isCallersOwn: boolean;
  readonly #answers = new WeakMap<object, { readonly executed: Executed; readonly text?: string | undefined }>();

  constructor({ areRead, isCallersOwn }: Pick<Answers, 'areRead' | 'isCallersOwn'>) {
    this.areRead = areRead;
    this.isCallersOwn = isCallersOwn;
  }

  resultOf(executed: Executed, form: BodyForm): ExecutionResult {
    const text = (): string => executedBytes(executed).toString();
    const { status } = executed.answer ?? executed;
    const result = this.areRead ? form.toResult(text(), status) : new WrittenResult(text);
    this.#answers.set(result, { executed, text: this.areRead ? JSON.stringify(result) : undefined });
    return result;
  }

  ofResult(result: ExecutionResult): Executed | undefined {
    const answer = this.#answers.get(result);
    return answer?.text === undefined || answer.text === JSON.stringify(result) ? answer?.executed : undefined;
  }

  /** Notes what a response was made of. */
  note(response: Response, executed: Executed): Response {
    this.#answers.set(response, { executed });
    return response;
  }

  ofResponse(response: Response): Executed | undefined {
    return this.#answers.get(response)?.executed;
  }
}

export const executedBytes = ({ answer, body, encoding }: Executed): Buffer =>
  answer ? bytesOf(answer.body) : Buffer.from(body, encoding);
