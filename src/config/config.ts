import { closest, distance } from 'fastest-levenshtein';
import { isRestricted } from '../access/access.ts';
import { OperatorError } from '../errors.ts';
import { createScrub, shortened } from '../observability/log.ts';
import type { TracingConfig } from '../observability/tracing.ts';
import type { VariableOptions } from './gateway-options.ts';
import { exposure } from './values.ts';
import { camelCase, type Exposures, ROWS, type Values } from './variables.ts';

/** The unknown variables that are spelt almost like one of Vitrine's. */
export const findMisspellings = (environment: Environment) => {
  const read = new Set<string>(ROWS.map(([name]) => name));
  return Object.keys(environment)
    .filter((given) => !read.has(given))
    .flatMap((given) => {
      const alike = ROWS.map(([name]) => name).filter((name) => isLike(given.toUpperCase(), name));
      const nearest = closest(given.toUpperCase(), alike);
      const row = ROWS.find(([name]) => name === nearest);
      if (!row) return [];
      const [meant, { closes = false }] = row;
      const warning = `${given} is not a variable of Vitrine; did you mean ${meant}?`;
      /** Whether the gateway would be more open than was meant. */
      const isOpening = closes && isSet(environment[given]) && !isSet(environment[meant]);
      return [{ warning, isOpening }];
    });
};

// OpenTelemetry has many variables beyond the table, with similar names.
const isLike = (given: string, name: string): boolean =>
  !given.startsWith('OTEL_') &&
  (distance(given, name) <= typosIn(name) || continues(given, name) || continues(name, given));

/** Short names such as HOME and PATH are common: they are similar to HOST by chance. */
const typosIn = (name: string): number => (name.length > 5 ? 2 : 1);

/** Whether a name continues another one of several words: CACHE_MAX_MB continues CACHE_MAX. */
const continues = (beginning: string, name: string): boolean => /_/.test(beginning) && name.startsWith(`${beginning}_`);

/** The configuration: the value of each variable, such as `config.cacheMaxMb`, and values derived from several. */
export type Config = Readonly<Omit<Values, keyof Derived> & Derived>;

type Derived = ReturnType<typeof derive>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. No other function does. @throws OperatorError with one line for each fault */
export const readConfig = (environment: Environment): Config => {
  const values = readValues(environment);
  const derived = derive(values);
  const faults = [...accessFaults(values), ...missingCompanions(values)];
  if (faults.length > 0) throw faulty(faults);
  return Object.freeze({ ...values, ...derived });
};

/**
 * Reads the options of the library, which take precedence over an environment.
 * @throws OperatorError with one line for each unknown or invalid option
 */
export const readOptions = (options: VariableOptions, environment: Environment = {}): Config => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const rows = ROWS.filter(([, { isProgramOnly }]) => !isProgramOnly);
  const names = new Map(rows.map(([name]) => [camelCase(name) as string, name]));
  const unknown = Object.keys(options).filter((option) => !names.has(option));
  if (unknown.length > 0) throw new OperatorError(`createGateway has no option ${unknown.join(', ')}.`);
  try {
    return readConfig({
      ...Object.fromEntries(rows.map(([name, { libraryDefault }]) => [name, libraryDefault])),
      ...environment,
      ...Object.fromEntries(given.map(([option, value]) => [names.get(option), String(value)])),
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // A fault names the option rather than the variable.
    const message = given.reduce(
      (text, [option]) => text.replaceAll(new RegExp(`\\b${names.get(option)}\\b`, 'g'), option),
      error.message.replace(/^The environment has/, 'createGateway was given'),
    );
    throw new OperatorError(message, { cause: error });
  }
};

/** An empty value counts as absent: Compose files and shells leave such values behind. */
const isSet = (value: string | undefined): boolean => Boolean(value?.trim());

const readValues = (environment: Environment): Values => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => isSet(value)));
  const faults: string[] = [];
  const values = ROWS.map(([name, { value, default: preset }]) => {
    const text = given[name] ?? preset;
    const read = text === undefined ? undefined : value.read(text);
    if (text !== undefined && read === undefined) {
      const fault = value.faultOf?.(text) ?? `be ${value.accepts}`;
      faults.push(`${name} must ${fault}, but is ${JSON.stringify(value.secretsIn ? '…' : shown(text))}`);
    }
    return [camelCase(name), read];
  });
  if (faults.length > 0) throw faulty(faults);
  return Object.fromEntries(values);
};

/** Variables that say who may see a page. */
const SWITCHES = ROWS.filter(([, { value }]) => value === exposure).map(([name]) => name);

/** Other units, groups, and defaults that depend on other variables. */
const derive = (values: Values) => {
  const closed = isRestricted(values) ? 'token' : 'on';
  const exposures = Object.fromEntries(
    SWITCHES.map((name) => [camelCase(name), values[camelCase(name) as keyof Exposures] ?? closed]),
  ) as unknown as Exposures;
  return {
    cacheMaxBytes: values.cacheMaxMb * 1_048_576,
    browseIndexMaxBytes: values.browseIndexMaxMb * 1_048_576,
    staleIfErrorMs: values.staleIfErrorS * 1000,
    /** A suggestion reveals names of the schema. */
    fieldSuggestions: values.fieldSuggestions ?? values.introspection,
    ...exposures,
    /** Those without a default: `token` where access tokens are configured, as these pages reveal facts about the service. */
    exposure: exposures,
    /** Undefined: no traces. */
    tracing: tracingOf(values),
    /** Texts that no log may contain. */
    secrets: ROWS.flatMap(([name, { value }]) => {
      const configured: unknown = values[camelCase(name)];
      return configured === undefined ? [] : (value.secretsIn?.(configured) ?? []);
    }),
  };
};

/** @returns undefined unless traces are configured */
const tracingOf = (values: Values): TracingConfig | undefined => {
  const isDisabled = values.otelSdkDisabled?.toLowerCase() === 'true' || values.otelTracesExporter === 'none';
  const isWanted =
    values.otelTracesExporter === 'otlp' ||
    values.otelExporterOtlpEndpoint !== undefined ||
    values.otelExporterOtlpTracesEndpoint !== undefined;
  if (isDisabled || !isWanted) return undefined;
  return { share: values.otelTracesSamplerArg, delayMs: values.otelBspScheduleDelay };
};

const accessFaults = (values: Values): string[] => {
  // An issuer signs tokens for other services too: only issuer and audience together identify ours.
  const hasKeys = values.jwksUrl !== undefined;
  const unpaired = (['JWT_ISSUER', 'JWT_AUDIENCE'] as const).filter(
    (name) => values[camelCase(name)].length > 0 !== hasKeys,
  );
  const gated = SWITCHES.filter((name) => values[camelCase(name)] === 'token');
  return [
    ...unpaired.map((name) => `${name} and JWKS_URL must both be set, or neither`),
    ...(isRestricted(values) ? [] : gated).map(
      (name) => `${name} must be on or off where no access tokens are configured, but is "token"`,
    ),
  ];
};

const missingCompanions = (values: Values): string[] => {
  const { databaseUrl, databaseDirectUrl, databaseReplicaUrls } = values;
  const hasReplicas = databaseReplicaUrls.length > 0;
  return [
    databaseUrl === undefined && databaseDirectUrl !== undefined && 'DATABASE_DIRECT_URL needs DATABASE_URL beside it',
    databaseUrl === undefined && hasReplicas && 'DATABASE_REPLICA_URLS needs DATABASE_URL beside it',
    values.databasePooler === 'transaction' &&
      databaseDirectUrl === undefined &&
      'DATABASE_POOLER=transaction needs DATABASE_DIRECT_URL beside it, for a session that listens',
    values.trustedDocumentsOnly &&
      values.trustedDocuments === undefined &&
      'TRUSTED_DOCUMENTS_ONLY needs TRUSTED_DOCUMENTS beside it',
  ].filter((fault) => fault !== false);
};

/** @param faults a line each */
export const faulty = (faults: readonly string[]): OperatorError =>
  new OperatorError(
    `The environment has ${faults.length === 1 ? 'a fault' : 'faults'}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
  );

const MAX_SHOWN_CHARS = 100;

/** The value in a fault. One that may be a secret is not shown, valid or not. */
const shown = (text: string): string => createScrub()(shortened(text, MAX_SHOWN_CHARS));
