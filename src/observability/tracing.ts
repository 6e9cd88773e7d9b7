import type { IncomingHttpHeaders } from 'node:http';

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
