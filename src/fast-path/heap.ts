import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// How V8 is set up for a gateway. Measured on 2026-11-22 (docs/fast-path.md): the heap saves 96 of 268 MB under load; with
// pretenuring a miss costs 16 % more CPU time, without the warm-up a hit costs 11 % more. A V8 without one of these flags says so when it
// starts; `heap` is the test.

export const DEFAULT_CACHE_MB = 64;

/** What the gateway takes beside its cached responses, and these beside their bytes. */
const BASE_MB = 192;
const MB_PER_CACHE_MB = 2;

const HEAP_FLAG = '--max-old-space-size=';

const YOUNG_FLAG = '--max-semi-space-size=';

/**
 * Bounds the young generation, which V8 would let grow to three times that size. Rows and text that wait for the rest of a response should fit into it, so
 * it is the larger the less is known. Measured on 2026-11-25 with the default cache: 8 MB take 10 to 20 MB less than 16, and no more CPU time.
 */
const youngMbOf = (cacheMb: number): number => {
  if (cacheMb === 0) return 32;
  return cacheMb < DEFAULT_CACHE_MB ? 16 : 8;
};

/**
 * V8 allocates objects of a kind that often outlives a collection in the old generation. Rows outlive one while they wait, for milliseconds, for the
 * rest of their response; then they are garbage that only a full collection finds, with all that they refer to.
 */
const NO_PRETENURING_FLAG = '--no-allocation-site-pretenuring';

/**
 * How much V8 compiles into one function of what it calls, in bytes of bytecode (920 by itself): a request goes through many small functions. Measured on
 * 2026-11-25: 1 to 6 % of the CPU time of a request, by its kind.
 */
const INLINING_FLAG = '--max-inlined-bytecode-size-cumulative=2500';

/**
 * V8 frees what it needed to compile a function once one of its threads has nothing else to do: 30 MB wait for that while much is compiled. By then `malloc`
 * has put beside it what stays, and the system never gets it back. On the main thread it is freed at once. Measured on 2026-11-27: 8 to 25 MB.
 */
const FREE_COMPILER_FLAG = '--no-maglev-destroy-on-background';

/**
 * V8 would give each thread this young generation, too, in the place of what its `resourceLimits` say. The main thread keeps its own, which is made by the
 * time that this is set.
 */
const NO_YOUNG_FLAG_OF_THREADS = '--max-semi-space-size=0';

/**
 * By itself glibc's `malloc` has an arena for each thread: what one has freed, others do not use. Measured on 2026-11-23 with an index of a million
 * products: 415 MB with an arena for each thread, 365 with one for all; the CPU time of a miss differs by less than the noise.
 */
const ARENAS = { MALLOC_ARENA_MAX: '1' };

const heapMbOf = (options: string): number | undefined => {
  const [, value] = options.split(HEAP_FLAG);
  return value === undefined ? undefined : Number.parseInt(value, 10);
};

/**
 * Sets how V8 compiles and collects garbage, and starts this process again (`execve`) with a heap that fits the cache and one arena of `malloc`, unless it has both: by
 * itself V8 lets garbage grow to twice what is in use. NODE_OPTIONS and MALLOC_ARENA_MAX of the operator stay as they are, and so does everything on a
 * system without `execve` (Windows).
 * @param environment of the process; it is validated elsewhere
 */
export const boundHeap = (environment: NodeJS.ProcessEnv): void => {
  const { CACHE_MAX_MB, NODE_OPTIONS = '', MALLOC_ARENA_MAX } = environment;
  setFlagsFromString(NO_PRETENURING_FLAG);
  setFlagsFromString(INLINING_FLAG);
  setFlagsFromString(FREE_COMPILER_FLAG);
  setFlagsFromString(NO_YOUNG_FLAG_OF_THREADS);
  const { execve, execPath, execArgv, argv, platform } = process;
  const cacheMb = Number(CACHE_MAX_MB || DEFAULT_CACHE_MB);
  const wantedMb = Math.round(BASE_MB + MB_PER_CACHE_MB * cacheMb);
  const givenMb = heapMbOf(execArgv.join(' '));
  const isEnough = givenMb === undefined ? NODE_OPTIONS.includes(HEAP_FLAG) : givenMb >= wantedMb;
  const areArenasSet = platform !== 'linux' || MALLOC_ARENA_MAX !== undefined;
  if ((isEnough && areArenasSet) || !(wantedMb >= BASE_MB) || !execve || platform === 'win32') return;
  const others = execArgv.filter((argument) => !argument.startsWith(HEAP_FLAG));
  const isYoungGiven = [...others, NODE_OPTIONS].some((argument) => argument.includes(YOUNG_FLAG));
  const young = isYoungGiven ? [] : [`${YOUNG_FLAG}${youngMbOf(cacheMb)}`];
  const options = isEnough ? execArgv : [`${HEAP_FLAG}${wantedMb}`, ...young, ...others];
  execve(execPath, [execPath, ...options, ...argv.slice(1)], { ...ARENAS, ...environment });
};

/**
 * Collects the garbage of this thread at once, and gives its memory back to the system: after much garbage V8 keeps it for more, which a thread that has
 * done its work never makes. Node hands out V8's function only by this flag. Where there is none, nothing happens.
 */
export const releaseGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
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
