import type { DocumentNode } from 'graphql';
import type { YogaInitialContext } from 'graphql-yoga';
import type { CacheOutcome } from '../cache/response-cache.ts';
import type { Call, Executed } from '../http/route.ts';
import type { BodyForm } from './body-form.ts';
import type { WrittenResult } from './written-result.ts';

/** What a request brings to Yoga: every plugin finds it in its context, beside Yoga's own `request` and `params`. */
export interface ServerContext extends Partial<YogaInitialContext> {
  readonly call: Call;
  readonly state: RequestState;
}

/** What is found out about a request, each plugin for those after it. */
export interface RequestState {
  /** As the client has sent it. */
  request?: Request;
  /** The document, where it is known before: that of a REST path. */
  readonly document?: DocumentNode;
  /** Whether the caller was admitted to the operation already. */
  readonly isAdmitted?: boolean;
  /** The body that is made of the data. */
  form: BodyForm;
  /** The content type of the result, as the client asked for it. */
  contentType?: string;
  /** Of the result {@link result}, the finished body. A result that a plugin changes, or puts in its place, is written anew. */
  executed?: Executed | undefined;
  result?: WrittenResult;
  /** What {@link result} was written into: a plugin may put another response in its place. */
  response?: Response | undefined;
  /** Where the first event of a subscription comes from. */
  outcome?: CacheOutcome;
  /** What the results of a subscription, as plugins leave them, are sent as. */
  eventBytes?: AsyncIterableIterator<Uint8Array, undefined>;
  /** Of a subscription: to be ended where nobody reads them, because a plugin behind has failed or answers otherwise. */
  events?: Pick<AsyncIterator<unknown>, 'return'>;
  /** Whether the client is cut because it does not read what is sent. */
  isSlow?: boolean;
}
