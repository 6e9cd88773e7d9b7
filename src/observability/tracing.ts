import type { IncomingHttpHeaders } from 'node:http';
import type { Attributes } from '@opentelemetry/api';

/** Sampling and batching. The exporter reads its target from `OTEL_EXPORTER_OTLP_…` itself. */
export interface TracingConfig {
  /** One of OpenTelemetry's names, such as `parentbased_always_on`. */
  readonly sampler: string;
  /** The share of traces that `traceidratio` records. */
  readonly samplerArg: number;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
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
  readonly isOn: boolean;
  /** The span that new ones are under. */
  readonly current: () => object | undefined;
  /** Continues the trace in the header `traceparent`, or starts one: https://www.w3.org/TR/trace-context/ @param startMs by `performance.now()` */
  readonly startRequest: (headers: IncomingHttpHeaders, startMs: number) => RequestSpan | undefined;
  /** Records work, until its promise settles, under the current span. Without a current span it only runs the work. */
  readonly span: <Result>(name: string, attributes: Attributes, work: () => Result) => Result;
  /** Undefined if nothing is recorded. @param name undefined for a statement that is not prepared */
  readonly startStatement: (name: string | undefined, text: string) => StatementSpan | undefined;
  /** Sends the remaining spans. */
  readonly close: () => Promise<void>;
}

export const NO_TRACING: Tracing = {
  isOn: false,
  startRequest: () => undefined,
  span: (_, __, work) => work(),
  startStatement: () => undefined,
  current: () => undefined,
  close: async () => {},
};

type Loader = { readonly load: (key: never) => Promise<unknown> };

/**
 * Wraps the reads of a feature's loaders in spans; returns them unchanged where traces are off.
 * @param feature prefix of the span names
 */
export const traceReads = <Reads extends object>(tracing: Tracing, feature: string, reads: Reads): Reads => {
  if (!tracing.isOn) return reads;
  return Object.fromEntries(
    Object.entries(reads).map(([name, read]) => [name, traceRead(tracing, `${feature}.${name}`, read)]),
  ) as Reads;
};

const traceRead = (tracing: Tracing, name: string, read: unknown): unknown => {
  if (typeof read === 'function') return (...args: unknown[]): unknown => tracing.span(name, {}, () => read(...args));
  return isLoader(read) ? traceLoader(tracing, name, read) : read;
};

const isLoader = (read: unknown): read is Loader =>
  typeof read === 'object' && read !== null && typeof (read as { load?: unknown }).load === 'function';

/** A batch of a loader is one span, that of its first key: all of its keys end together. */
const traceLoader = (tracing: Tracing, name: string, loader: Loader): Loader => {
  const gathering = new WeakSet<object>();

  const load = (key: never): Promise<unknown> => {
    const parent = tracing.current();
    if (!parent || gathering.has(parent)) return loader.load(key);
    gathering.add(parent);
    setImmediate(() => gathering.delete(parent));
    return tracing.span(name, {}, () => loader.load(key));
  };
  return Object.create(loader, { load: { value: load } });
};
