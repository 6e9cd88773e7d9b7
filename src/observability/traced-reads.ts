import type { Tracing } from './tracing.ts';

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
