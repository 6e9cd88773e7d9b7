#!/usr/bin/env node
// Before the commands are imported: from the second start on, 360 ms of CPU instead of 600.
import './compile-cache.js';
import { runCommandLine } from './commands/commands.ts';
import { OperatorError } from './errors.ts';
import { createScrub, errorRecord, visibleLines } from './observability/log.ts';

/**
 * Lets V8 compile `process.nextTick` while all its arguments have one shape. Node makes an object for each call, by a literal with
 * computed keys. If V8 has seen two shapes before it compiles that literal, as happens while modules are loaded, the call stays on a
 * slow path: a response from memory costs 11 % more CPU time (docs/fast-path.md).
 */
const compileNextTick = (): void => {
  const nothing = (): void => {};
  for (let calls = 0; calls < 2000; calls += 1) process.nextTick(nothing);
};

if (process.argv[2] === 'serve') compileNextTick();

try {
  await runCommandLine(process.argv.slice(2));
} catch (error) {
  // An operator's fault is explained by its message; any other needs its stack.
  const isFamiliar = error instanceof OperatorError;
  console.error(createScrub()(isFamiliar ? visibleLines(error.message) : errorRecord(error).stack));
  process.exit(isFamiliar ? error.exitCode : 1);
}
