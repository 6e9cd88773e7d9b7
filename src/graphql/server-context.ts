import type { DocumentNode, ExecutionResult, Source } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Call } from '../http/route.ts';

/** The request that an operation is for: the part of {@link Call} that executions need. */
export type Caller = Pick<Call, 'takesLate' | 'previewAt'>;

/** The form that a protocol gives to the JSON text of `data`. */
export interface BodyForm {
  /** Part of the cache key: bodies of different forms are different responses. */
  readonly name: string;
  /** The body of a response. Its status is 404 where the data says that there is nothing. */
  readonly toBody: (data: string) => { readonly body: string; readonly status: 200 | 404 };
  readonly toResult: (body: string, status: 200 | 404) => ExecutionResult;
}

/** The only form whose responses with errors have the data beside them. */
export const GRAPHQL_BODY: BodyForm = {
  name: 'graphql',
  toBody: (data) => ({ body: `{"data":${data}}`, status: 200 }),
  toResult: (body) => JSON.parse(body),
};

/** The document of a REST path, which is known before. */
export interface RestDocument {
  readonly source: Source;
  readonly document: DocumentNode;
  readonly form: BodyForm;
}

/** What a request brings to Yoga: every plugin finds it in its context, beside Yoga's own `request` and `params`. */
export interface ServerContext extends Partial<YogaInitialContext> {
  readonly call: Call;
  /** Of a request by `/graphql`: the content type of its result. */
  readonly contentType?: string;
  /** Of a request by REST. */
  readonly rest?: RestDocument;
}

/** A host that is never looked up: the one that the client names is not trusted. */
export const ORIGIN = 'http://gateway.invalid';

export type GatewayPlugin = Plugin<ServerContext, ServerContext>;
