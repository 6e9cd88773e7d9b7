import { setFlagsFromString } from 'node:v8';

// How V8 is set up for a gateway. Measured on 2026-11-22 (docs/fast-path.md): the heap saves 96 of 268 MB under load; with
// pretenuring a miss costs 16 % more CPU time, without the warm-up a hit costs 11 % more. A V8 without one of these flags says so when it
// starts; `heap` is the test.

export const DEFAULT_CACHE_MB = 64;

/** What the gateway takes beside its cached responses, and these beside their bytes. */
const BASE_MB = 192;
const MB_PER_CACHE_MB = 2;

const HEAP_FLAG = '--max-old-space-size=';

/** Bounds the young generation, which V8 would let grow to three times that size. */
const YOUNG_FLAG = '--max-semi-space-size=16';

/**
 * V8 allocates objects of a kind that often outlives a collection in the old generation. Rows outlive one while they wait, for milliseconds, for the
 * rest of their response; then they are garbage that only a full collection finds, with all that they refer to.
 */
const NO_PRETENURING_FLAG = '--no-allocation-site-pretenuring';

const heapMbOf = (options: string): number | undefined => {
  const [, value] = options.split(HEAP_FLAG);
  return value === undefined ? undefined : Number.parseInt(value, 10);
};

/**
 * Sets how V8 collects garbage, and starts this process again (`execve`) with a heap that fits the cache, unless it has one: by itself V8 lets
 * garbage grow to twice what is in use, and the heap that `npm start` names is too small for a larger cache. NODE_OPTIONS of the operator
 * stay as they are, and so does the heap on a system without `execve` (Windows).
 * @param environment of the process; it is validated elsewhere
 */
export const boundHeap = ({ CACHE_MAX_MB, NODE_OPTIONS = '' }: NodeJS.ProcessEnv): void => {
  setFlagsFromString(NO_PRETENURING_FLAG);
  const { execve, execPath, execArgv, argv, platform } = process;
  const wantedMb = Math.round(BASE_MB + MB_PER_CACHE_MB * Number(CACHE_MAX_MB || DEFAULT_CACHE_MB));
  const givenMb = heapMbOf(execArgv.join(' '));
  const isEnough = givenMb === undefined ? NODE_OPTIONS.includes(HEAP_FLAG) : givenMb >= wantedMb;
  if (isEnough || !(wantedMb >= BASE_MB) || !execve || platform === 'win32') return;
  const others = execArgv.filter((argument) => !argument.startsWith(HEAP_FLAG));
  const isYoungGiven = [...others, NODE_OPTIONS].some((argument) => argument.includes('--max-semi-space-size='));
  const young = isYoungGiven ? [] : [YOUNG_FLAG];
  execve(execPath, [execPath, `${HEAP_FLAG}${wantedMb}`, ...young, ...others, ...argv.slice(1)], process.env);
};

const CALLS = 2000;

/**
 * Lets V8 compile `process.nextTick` while all its arguments have one shape. Node makes an object for each call, by a literal with computed keys; once
 * V8 has seen two shapes before it compiles that, as happens while modules are loaded, it stays on a slow path (`perf` shows
 * `Runtime_DefineKeyedOwnPropertyInLiteral`).
 */
export const warmUp = (): void => {
  for (let calls = 0; calls < CALLS; calls += 1) process.nextTick(nothing);
};

const nothing = (): void => {};
