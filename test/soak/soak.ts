import { setTimeout as delay } from 'node:timers/promises';
import { startCommitRecord } from '../support/commit-record.ts';
import { createBackOffice } from './back-office.ts';
import { createBlows } from './blows.ts';
import { createHttpClient } from './http-client.ts';
import { createShop, PRODUCT_IDS, startInstance } from './instance.ts';
import { growthOf, leftOpen, readHandles, watchMachine } from './observations.ts';
import type { SoakOptions } from './options.ts';
import { createPlan } from './plan.ts';
import { createProber, type Probe } from './probe.ts';
import { LISTS } from './requests.ts';
import { summarize } from './summary.ts';
import { CLIENTS, startTraffic } from './traffic.ts';
import { createFindings, logFaults, memoryFaults, shutdownFaults, viewFaults } from './verdict.ts';

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

interface Step {
  readonly kind: string;
  readonly pauseMs: number;
}

/** Takes the steps one after another, each after its pause, again from the first when they are through. Gives how many there were of each kind. */
const runSteps = async <Each extends Step>(
  steps: readonly Each[],
  untilMs: number,
  take: (step: Each) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (;;) {
    for (const step of steps) {
      if (performance.now() + step.pauseMs > untilMs) return counts;
      await delay(step.pauseMs);
      await take(step);
      counts.set(step.kind, (counts.get(step.kind) ?? 0) + 1);
    }
  }
};

/** Actions that are never under way at the same time, in the order in which they came. */
export interface Lane {
  readonly exclusively: (action: () => Promise<void>) => Promise<void>;
}

const createLane = (): Lane => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    exclusively: (action) => {
      const done = last.then(action);
      last = done.catch(() => {});
      return done;
    },
  };
};

/** More than any cache of documents holds: what the memory is measured by afterwards is full. */
const DOCUMENTS = 1500;

const WARM_UP_CLIENTS = 10;

/** Asks for lists in spellings that are not used later on. */
const warmUp = async (url: string): Promise<void> => {
  const http = createHttpClient();
  let asked = 0;
  const ask = async (): Promise<void> => {
    while (asked < DOCUMENTS) {
      asked += 1;
      for (const { make } of LISTS) await http.send(url, make(1_000_000 + asked));
    }
  };
  await Promise.all(Array.from({ length: WARM_UP_CLIENTS }, ask));
  http.close();
};
