import type { createOpentelemetry } from './opentelemetry.ts';

/** Distributed traces. */
export type Tracing = ReturnType<typeof createOpentelemetry>;

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
