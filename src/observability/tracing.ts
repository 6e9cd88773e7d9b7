import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Longest delay of a shutdown by a collector that does not respond. */
const CLOSE_TIMEOUT_MS = 2000;

/** Type of a wait for a statement without another name. */
const UNNAMED = 'statement';

/** What is recorded, and when it is sent. The exporter reads its target from `OTEL_EXPORTER_OTLP_…` itself. */
export interface TracingConfig {
  /** Of the traces that begin here, which are recorded. Those of callers are recorded where the caller does. */
  readonly share: number;
  /** Longest time before spans are sent. */
  readonly delayMs: number;
}

/** Distributed traces by OpenTelemetry's SDK. This file is loaded only where they are configured. */
export class Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #propagator = new W3CTraceContextPropagator();
  // Not OpenTelemetry's global provider: two gateways in a process are independent.
  readonly #running = new AsyncLocalStorage<Span>();

  constructor({ share, delayMs }: TracingConfig, version: string, log: Logger) {
    this.#provider = new TracerProvider({
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
      spanProcessors: [new BatchSpanProcessor({ exporter: createTraceExporter(log), scheduledDelayMillis: delayMs })],
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': 'vitrine', 'service.version': version }))
        .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    });
    this.#tracer = this.#provider.getTracer('vitrine', version);
  }

  /** Continues the trace in the header `traceparent`, or starts one: https://www.w3.org/TR/trace-context/ @param startMs by `performance.now()` */
  startRequest(headers: IncomingHttpHeaders, startMs: number) {
    const parent =
      headers.traceparent === undefined ? ROOT_CONTEXT : this.#propagator.extract(ROOT_CONTEXT, headers, HEADER_GETTER);
    const startTime = performance.timeOrigin + startMs;
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER, startTime }, parent);
    const isSampled = span.isRecording();
    return {
      traceId: span.spanContext().traceId,
      /** Whether the span is recorded. */
      isSampled,
      /** Runs work with this span as the parent of new spans. */
      run: <Result>(work: () => Result): Result => (isSampled ? this.#running.run(span, work) : work()),
      end: (name: string, attributes: Attributes, isFault: boolean): void => {
        span.updateName(name).setAttributes(attributes);
        if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  /** Records work, until its promise settles, under the current span. Without a current span it only runs the work. */
  async span<Result>(name: string, attributes: Attributes, work: () => Promise<Result>): Promise<Result> {
    const span = this.#startUnderCurrent(name, { attributes });
    if (!span) return work();
    try {
      return await this.#running.run(span, work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** @returns what ends its span; undefined if nothing is recorded @param name undefined for a statement that is not prepared */
  startStatement(name: string | undefined, text: string) {
    // https://opentelemetry.io/docs/specs/semconv/database/postgresql/; the text holds $1, never a value.
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.trim() };
    const span = this.#startUnderCurrent(name ?? UNNAMED, {
      kind: SpanKind.CLIENT,
      attributes: name === undefined ? attributes : { ...attributes, 'db.query.summary': name },
    });
    if (!span) return undefined;
    return (error?: unknown): void => {
      if (error) fail(span, error);
      span.end();
    };
  }

  /** Sends the remaining spans. */
  async close(): Promise<void> {
    await Promise.race([this.#provider.shutdown().catch(() => {}), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  #startUnderCurrent(name: string, options: SpanOptions): Span | undefined {
    const parent = this.#running.getStore();
    return parent && this.#tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));
  }
}

/** The span of a request. */
export type RequestSpan = ReturnType<Tracing['startRequest']>;

const HEADER_GETTER: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name],
};

const fail = (span: Span, error: unknown): void => {
  span.setStatus({ code: SpanStatusCode.ERROR });
  if (error instanceof Error) span.setAttribute('error.type', 'code' in error ? String(error.code) : error.name);
};

/** Sends spans by OTLP over HTTP, configured by OpenTelemetry's own variables: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const createTraceExporter = (log: Logger): SpanExporter => {
  let isFailing = false;

  // Logs only the first failure and the recovery: an absent collector would fill the log.
  const tell = (error: Error | undefined, spans: number): void => {
    if (isFailing === (error !== undefined)) return;
    isFailing = error !== undefined;
    if (error)
      log.warn({ err: error, spans }, 'spans cannot be sent to the trace collector, and are lost until they can');
    else log.info('spans are sent to the trace collector again');
  };

  return new (class extends OTLPTraceExporter {
    override export(...[spans, done]: Parameters<SpanExporter['export']>): void {
      super.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        tell(hasFailed ? (result.error ?? new Error('no reason given')) : undefined, spans.length);
        done(result);
      });
    }
  })();
};
