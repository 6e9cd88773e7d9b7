import { readOptions } from './options.ts';
import { soak } from './soak.ts';

// What was started ends with it, however it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** For the start, the warm-up and the end, on a machine that is busy. */
const GRACE_S = 180;

const options = readOptions(process.argv.slice(2));
const deadline = setTimeout(
  () => {
    console.error('BROKEN  soak: it did not come to its end');
    process.exit(1);
  },
  (options.seconds + GRACE_S) * 1000,
);
console.log(`soak: ${options.seconds} s, seed ${options.seed}`);
const { summary, faults } = await soak(options);
clearTimeout(deadline);
for (const line of summary) console.log(`  ${line}`);
for (const fault of faults) console.error(`BROKEN  ${fault}`);
console.log(
  faults.length === 0
    ? 'nothing broke'
    : `${faults.length} lines of what broke; --seed ${options.seed} has the same plan`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
