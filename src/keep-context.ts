/**
 * Keeps the asynchronous context of whoever calls this (whose trace it is, whose request) for work that others begin later. By a promise, whose
 * continuation has it: an `AsyncResource`, and with it `AsyncLocalStorage.snapshot`, hangs each on the one before, so that what they hold outlives
 * many collections of garbage (seen with Node 24: a tenth of all that was allocated).
 * @returns does the work, once
 */
export const keepContext = (): (<Value>(work: () => Value | Promise<Value>) => Promise<Value>) => {
  const { promise, resolve } = Promise.withResolvers<() => unknown>();
  const done = promise.then((work) => work());
  return (work) => {
    resolve(work);
    return done as Promise<Awaited<ReturnType<typeof work>>>;
  };
};
