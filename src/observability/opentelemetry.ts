import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type TextMapGetter, trace } from '@opentelemetry/api';
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
import type { Tracing, TracingConfig } from './tracing.ts';

/** Longest delay of a shutdown by a collector that does not respond. */
const CLOSE_TIMEOUT_MS = 2000;

/** Type of a wait for a statement without another name. */
const UNNAMED = 'statement';

/** Tracing by OpenTelemetry's SDK. In its own file, so that the SDK is loaded only where traces are configured. */
export const createOpentelemetry = ({ share, delayMs }: TracingConfig, version: string, log: Logger): Tracing => {
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: createTraceExporter(log), scheduledDelayMillis: delayMs })],
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'vitrine', 'service.version': version }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
  });
  const tracer = provider.getTracer('vitrine', version);
  const propagator = new W3CTraceContextPropagator();
  // Not OpenTelemetry's global provider: two gateways in a process are independent.
  const running = new AsyncLocalStorage<Span>();

  const startUnder = (parent: Span, name: string, options: Parameters<typeof tracer.startSpan>[1]): Span =>
    tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));

  return {
    startRequest: (headers, startMs) => {
      const parent =
        headers.traceparent === undefined ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, headers, HEADER_GETTER);
      const startTime = performance.timeOrigin + startMs;
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime }, parent);
      const isSampled = span.isRecording();
      return {
        traceId: span.spanContext().traceId,
        isSampled,
        run: (work) => (isSampled ? running.run(span, work) : work()),
        end: (name, attributes, isFault) => {
          span.updateName(name).setAttributes(attributes);
          if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },

    span: async (name, attributes, work) => {
      const parent = running.getStore();
      if (!parent) return work();
      const span = startUnder(parent, name, { attributes });
      try {
        return await running.run(span, work);
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },

    startStatement: (name, text) => {
      const parent = running.getStore();
      if (!parent) return undefined;
      // https://opentelemetry.io/docs/specs/semconv/database/postgresql/; the text holds $1, never a value.
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text.trim() };
      const span = startUnder(parent, name ?? UNNAMED, {
        kind: SpanKind.CLIENT,
        attributes: name === undefined ? attributes : { ...attributes, 'db.query.summary': name },
      });
      return {
        end: (error) => {
          if (error) fail(span, error);
          span.end();
        },
      };
    },

    close: () =>
      Promise.race([provider.shutdown().catch(() => {}), delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]),
  };
};

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
