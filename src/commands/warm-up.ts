const CALLS = 2000;

/**
 * Has V8 compile `process.nextTick` while all that it is given looks alike. Node makes an object for each call, by a literal with computed keys; once V8
 * has seen two kinds of it before it compiles that, as it does while modules are loaded, it takes a slow way for good: 3 to 4 % of what an
 * answer from memory costs (seen with Node 24, by `perf`, as `Runtime_DefineKeyedOwnPropertyInLiteral`).
 */
export const warmUp = (): void => {
  for (let calls = 0; calls < CALLS; calls += 1) process.nextTick(nothing);
};

const nothing = (): void => {};
