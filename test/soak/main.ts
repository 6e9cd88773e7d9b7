import { readOptions } from './options.ts';
import { soak } from './soak.ts';

// What was started ends with it, however it ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const options = readOptions(process.argv.slice(2));
console.log(`soak: ${options.seconds} s, seed ${options.seed}`);
const { summary, faults } = await soak(options);
for (const line of summary) console.log(`  ${line}`);
for (const fault of faults) console.error(`BROKEN  ${fault}`);
console.log(
  faults.length === 0
    ? 'nothing broke'
    : `${faults.length} lines of what broke; --seed ${options.seed} has the same plan`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
