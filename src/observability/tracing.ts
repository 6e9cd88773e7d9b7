import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes } from '@opentelemetry/api';

/** What is recorded, and when it is sent. The exporter reads its target from `OTEL_EXPORTER_OTLP_…` itself. */
export interface TracingConfig {
  /** Of the traces that begin here, which are recorded. Those of callers are recorded where the caller does. */
  readonly share: number;
  /** Longest time before spans are sent. */
  readonly delayMs: number;
}

/** The span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Whether the span is recorded. */
  readonly isSampled: boolean;
  /** Runs work with this span as the parent of new spans. */
  readonly run: <Result>(work: () => Result) => Result;
  readonly end: (name: string, attributes: Attributes, isFault: boolean) => void;
}

/** The span of a statement. */
export interface StatementSpan {
  readonly end: (error?: unknown) => void;
}

/** Distributed traces. */
export interface Tracing {
  /** Continues the trace in the header `traceparent`, or starts one: https://www.w3.org/TR/trace-context/ @param startMs by `performance.now()` */
  readonly startRequest: (headers: IncomingHttpHeaders, startMs: number) => RequestSpan | undefined;
  /** Records work, until its promise settles, under the current span. Without a current span it only runs the work. */
  readonly span: <Result>(name: string, attributes: Attributes, work: () => Promise<Result>) => Promise<Result>;
  /** Undefined if nothing is recorded. @param name undefined for a statement that is not prepared */
  readonly startStatement: (name: string | undefined, text: string) => StatementSpan | undefined;
  /** Sends the remaining spans. */
  readonly close: () => Promise<void>;
}

export const NO_TRACING: Tracing = {
  startRequest: () => undefined,
  span: (_, __, work) => work(),
  startStatement: () => undefined,
  close: async () => {},
};
