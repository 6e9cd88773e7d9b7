import { setFlagsFromString } from 'node:v8';

const DEFAULT_CACHE_MB = 64;

/** What the gateway lives on beside its answers, and what these take beside their bytes. */
const BASE_MB = 192;
const MB_PER_CACHE_MB = 2;

const HEAP_FLAG = '--max-old-space-size=';

/**
 * What is younger than an answer may take. V8 would let it grow to three times as much, 90 MB more in all under load, for 4 % less work on what is
 * not in memory (half of this costs 8 to 15 %).
 */
const YOUNG_FLAG = '--max-semi-space-size=16';

/**
 * V8 watches which objects outlive a collection, and makes those that often do among the old ones, for good. Rows do that wait for the rest of their
 * answer, for milliseconds; then they are garbage that only a collection of everything finds, and so is all that they refer to. Lists that are not in
 * memory cost a third less without it.
 */
const NO_PRETENURING_FLAG = '--no-allocation-site-pretenuring';

const heapMbOf = (options: string): number | undefined => {
  const [, value] = options.split(HEAP_FLAG);
  return value === undefined ? undefined : Number.parseInt(value, 10);
};

/**
 * Has V8 collect garbage as a gateway makes it, and begins this very process anew with a heap that fits the cache, unless it has one: left alone,
 * V8 lets garbage pile up to twice of what is in use before it looks, 400 MB under load where 250 do; and the heap that `npm start` names is too
 * small for a larger cache. What the operator has set in NODE_OPTIONS stays, and so does the heap on a system that cannot do it (Windows).
 * @param environment as the process has it; what is wrong with it is for the configuration to say
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
