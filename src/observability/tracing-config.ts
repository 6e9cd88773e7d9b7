import * as v from 'valibot';

/** How much is traced, and how it is sent. Where to is the exporter's own business: it reads `OTEL_EXPORTER_OTLP_…` itself. */
export interface TracingConfig {
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that `traceidratio` takes. */
  readonly samplerArg: number;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

const count = v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, 'must be a whole number above 0'), v.transform(Number));

const share = v.pipe(
  v.string(),
  v.regex(/^(0|1|0?\.\d+|[01]\.\d*)$/, 'must be a number from 0 to 1'),
  v.transform(Number),
  v.maxValue(1, 'must be a number from 0 to 1'),
);

const isHttpUrl = (value: string): boolean => /^https?:\/\//.test(value) && URL.canParse(value);

const url = v.pipe(v.string(), v.check(isHttpUrl, 'must begin with http:// or https://'));

/** As OpenTelemetry names and defaults them: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export const TRACING_ENVIRONMENT = {
  OTEL_SDK_DISABLED: v.optional(v.string()),
  OTEL_TRACES_EXPORTER: v.optional(v.picklist(['otlp', 'none'], 'must be otlp or none')),
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(url),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.optional(url),
  OTEL_EXPORTER_OTLP_PROTOCOL: v.optional(v.literal('http/protobuf', 'must be http/protobuf')),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: v.optional(v.literal('http/protobuf', 'must be http/protobuf')),
  OTEL_TRACES_SAMPLER: v.optional(
    v.picklist(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: v.optional(share, '1'),
  OTEL_BSP_SCHEDULE_DELAY: v.optional(count, '5000'),
  OTEL_BSP_MAX_QUEUE_SIZE: v.optional(count, '2048'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: v.optional(count, '512'),
};

type TracingVariables = v.InferOutput<v.ObjectSchema<typeof TRACING_ENVIRONMENT, undefined>>;

/** @returns undefined unless the environment says where traces go */
export const tracingConfig = (given: TracingVariables): TracingConfig | undefined => {
  const isDisabled = given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || given.OTEL_TRACES_EXPORTER === 'none';
  const isWanted =
    given.OTEL_TRACES_EXPORTER === 'otlp' ||
    given.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined ||
    given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined;
  if (isDisabled || !isWanted) return undefined;
  return {
    sampler: given.OTEL_TRACES_SAMPLER,
    samplerArg: given.OTEL_TRACES_SAMPLER_ARG,
    batch: {
      scheduledDelayMillis: given.OTEL_BSP_SCHEDULE_DELAY,
      maxQueueSize: given.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: given.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
  };
};
