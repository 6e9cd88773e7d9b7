import { setTimeout as delay } from 'node:timers/promises';
import { startCommitRecord } from '../support/commit-record.ts';
import { createBackOffice } from './back-office.ts';
import { createBlows } from './blows.ts';
import { watchMachine } from './busy-machine.ts';
import { createFindings } from './findings.ts';
import { leftOpen, readHandles } from './handles.ts';
import { startInstance } from './instance.ts';
import { createLane } from './lane.ts';
import { growthOf } from './memory.ts';
import type { SoakOptions } from './options.ts';
import { createPlan } from './plan.ts';
import { createProber, type Probe } from './probe.ts';
import { createShop, PRODUCT_IDS } from './shop.ts';
import { runSteps } from './steps.ts';
import { summarize } from './summary.ts';
import { CLIENTS, startTraffic } from './traffic.ts';
import { logFaults, memoryFaults, shutdownFaults, viewFaults } from './verdict.ts';
import { warmUp } from './warm-up.ts';

const PROBE = [{ kind: 'probe', pauseMs: 2000 }];
/** Longer than anything in the plan lasts. */
const FORGET_AFTER_MS = 60_000;
/** The default, which the instances are run with. */
const FRESHNESS_MS = 100;

export interface SoakResult {
  /** Lines of a report. */
  readonly summary: readonly string[];
  /** What broke; nothing, as it should be. */
  readonly faults: readonly string[];
}

/** Two gateways on one database, all traffic, and everything that can befall them, for so long. */
export const soak = async ({ seconds, seed }: SoakOptions): Promise<SoakResult> => {
  const plan = createPlan(seed, CLIENTS.readers + CLIENTS.others + CLIENTS.slow);
  const findings = createFindings();
  await using database = await createShop();
  await using lasting = await startInstance(database.url);
  await using victim = await startInstance(database.url);

  const { command } = lasting.process();
  const probe = createProber(command);
  const handles = () => readHandles(command, probe);
  const before = await handles();
  await warmUp(lasting.url);

  const record = await startCommitRecord(database, PRODUCT_IDS, FRESHNESS_MS);
  await delay(FRESHNESS_MS);
  const backOffice = createBackOffice(database, record);
  const { exclusively } = createLane();
  const strike = createBlows({ database, record, backOffice, victim, exclusively });
  const machine = watchMachine(record);
  const traffic = startTraffic({ instances: [lasting, victim], record, findings, picks: plan.picks });

  const probes: Probe[] = [];
  const untilMs = performance.now() + seconds * 1000;
  const [writes, blows] = await Promise.all([
    runSteps(plan.writes, untilMs, (step) => exclusively(() => backOffice.write(step))),
    runSteps(plan.blows, untilMs, strike),
    runSteps(PROBE, untilMs, async () => {
      probes.push(await probe());
      record.forgetOlderThan(FORGET_AFTER_MS);
    }),
  ]);
  await traffic.stop();
  machine.stop();

  const growth = growthOf(probes);
  findings.add('views', await viewFaults(database, traffic.loads));
  findings.add('memory', memoryFaults(growth, probes));
  findings.add('handles', await leftOpen(before, handles));
  for (const instance of [lasting, victim]) {
    findings.add('log', logFaults(instance));
    findings.add('shutdown', await shutdownFaults(instance));
  }
  return { faults: findings.list(), summary: summarize({ traffic, machine, writes, blows, growth, probes, before }) };
};
