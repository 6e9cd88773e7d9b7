import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Sends spans by OTLP over HTTP, as its own environment variables say: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
export const createTraceExporter = (log: Logger): SpanExporter => {
  const exporter = new OTLPTraceExporter();
  let isFailing = false;

  // A collector that is away would be worth a line every few seconds, for hours: the first and the last say as much.
  const tell = (error: Error | undefined, spans: number): void => {
    if (isFailing === (error !== undefined)) return;
    isFailing = error !== undefined;
    if (error) log.warn({ err: error, spans }, 'the trace collector takes no spans; they are lost until it does');
    else log.info('the trace collector takes spans again');
  };

  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        tell(hasFailed ? (result.error ?? new Error('no reason given')) : undefined, spans.length);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
};
