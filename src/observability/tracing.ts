import type { IncomingHttpHeaders } from 'node:http';

/** How much is traced, and how it is sent. Where to is the exporter's own business: it reads `OTEL_EXPORTER_OTLP_…` itself. */
export interface TracingConfig {
  /** A name of OpenTelemetry, such as `parentbased_always_on`. */
  readonly sampler: string;
  /** The share of traces that `traceidratio` takes. */
  readonly samplerArg: number;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** One request in its trace. */
export interface RequestSpan {
  readonly traceId: string;
  /** Whether it is part of the sample: nothing is recorded of the others. */
  readonly isSampled: boolean;
  /** What the work, and whatever it waits for, does is recorded under this span. */
  readonly run: <Result>(work: () => Result) => Result;
  readonly end: (name: string, attributes: Attributes, isFault: boolean) => void;
}

/** Distributed traces, as far as the gateway knows of them. */
export interface Tracing {
  readonly isOn: boolean;
  /** Goes on with the trace that the request's `traceparent` names, or begins one: https://www.w3.org/TR/trace-context/ */
  readonly startRequest: (headers: IncomingHttpHeaders, startMs: number) => RequestSpan | undefined;
  /** Records a piece of work, until what it returns is settled, under the span that it runs in; where that is none, it just runs. */
  readonly span: <Result>(name: string, attributes: Attributes, work: () => Result) => Result;
  /** Records a statement to the database likewise; undefined where nothing is recorded. */
  readonly startStatement: (name: string | undefined, text: string) => ((error?: unknown) => void) | undefined;
  /** What stands for the span that is running. */
  readonly current: () => object | undefined;
  /** Sends what it has. */
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
 * The reads that the loaders of a feature share, each recorded as a span. The same ones where nothing is traced, so that nobody pays for it.
 * @param feature comes before their names
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

/** What an operation loads in one go is one span, whatever the number of keys. */
const traceLoader = (tracing: Tracing, name: string, loader: Loader): Loader => {
  const gathering = new WeakMap<object, Promise<unknown>[]>();

  return Object.create(loader, {
    load: {
      value: (key: never): Promise<unknown> => {
        const parent = tracing.current();
        if (!parent) return loader.load(key);
        const others = gathering.get(parent);
        if (others) {
          const loading = loader.load(key);
          others.push(loading);
          return loading;
        }
        const all: Promise<unknown>[] = [];
        gathering.set(parent, all);
        setImmediate(() => gathering.delete(parent));
        const first = Promise.withResolvers<unknown>();
        void tracing.span(name, {}, async () => {
          all.push(loader.load(key));
          first.resolve(all[0]);
          await new Promise(setImmediate);
          await Promise.allSettled(all);
        });
        return first.promise;
      },
    },
  });
};
