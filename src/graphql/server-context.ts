import type { DocumentNode, Source } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import type { Call } from '../http/route.ts';
import type { BodyForm } from './body-form.ts';

/** The request that an operation is for: the part of {@link Call} that operations need. */
export type Caller = Pick<Call, 'admit' | 'takesLate' | 'previewAt' | 'log'>;

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
