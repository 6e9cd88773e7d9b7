import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createPrimaryMetrics } from '../../src/cluster/metrics.ts';
import { replicaMetrics } from '../../src/gateway-metrics.ts';
import { createMetrics } from '../../src/observability/metrics.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertNotice } from '../support/rows.ts';
import { parseMetrics, type Scrape, scrape } from '../support/scrape.ts';

const read = (file: string): Promise<string> => readFile(path.join(import.meta.dirname, '../../deploy', file), 'utf8');

/** Every value under a key, however deep. */
const valuesOf = (value: unknown, key: string): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) =>
        name === key && typeof inner === 'string' ? [inner] : valuesOf(inner, key),
      );

/** Grafana puts these in itself. */
const filledIn = (expression: string): string => expression.replaceAll(/\$__(rate_)?interval/g, '5m');

interface Selected {
  readonly name: string;
  readonly labels: readonly string[];
}

/** The metrics that an expression of PromQL selects, with the labels that it asks them for. @throws Error where it is none */
const selectedBy = (expression: string): Selected[] => {
  const text = filledIn(expression);
  const selected: Selected[] = [];
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`);
      if (type.name !== 'VectorSelector') return;
      const name = node.getChild('Identifier');
      const labels = [...text.slice(from, to).matchAll(/[{,]\s*(\w+)\s*[=!]/g)].map(([, label]) => label ?? '');
      selected.push({ name: name ? text.slice(name.from, name.to) : '', labels });
    },
  });
  return selected;
};

/** Those that Prometheus adds to what it scrapes. */
const ADDED_LABELS = ['job', 'instance'];

const REPLICA = {
  name: 'replica:5432',
  isAway: () => true,
  lagMs: () => undefined,
  stats: { chosen: 1, passedOver: new Map([['lag', 1] as const]), failures: 0 },
};

let known: Scrape;

beforeAll(async () => {
  await using database = await createTestDatabase();
  await using gateway = await createTestGateway(database);
  const id = await insertNotice(database);
  for (const target of ['/api/product/hot', `/api/notice/${id}`, '/api/notice/0']) await gateway.get(target);
  // Garbage collection is told of from its first time on.
  await scrape(gateway);
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const isTold = async () => {
    known = await scrape(gateway);
    return known.sum('nodejs_gc_duration_seconds_count') > 0;
  };
  await vi.waitUntil(isTold, { timeout: 30_000 });
  // A gateway of several processes has some more, and so has one with replicas.
  const primary = createPrimaryMetrics({ workers: () => 2, deaths: () => 0 });
  const replicas = createMetrics(replicaMetrics({ all: [REPLICA], stats: { primary: 1 } }));
  for (const { page } of [primary, replicas]) {
    known = { ...known, samples: [...known.samples, ...parseMetrics((await page()).body).samples] };
  }
});

const expectKnown = (expression: string): void => {
  const selected = selectedBy(expression);
  expect(selected, expression).not.toEqual([]);
  for (const { name, labels } of selected) {
    if (name === 'up') continue;
    const samples = known.samples.filter((sample) => sample.name === name);
    expect(samples, `${name} is in /metrics`).not.toEqual([]);
    for (const label of labels.filter((each) => !ADDED_LABELS.includes(each))) {
      expect(samples[0]?.labels, `${name} has the label ${label}`).toHaveProperty(label);
    }
  }
};

describe('deploy/', () => {
  test('the dashboard of Grafana asks only for what /metrics has', async () => {
    const dashboard: unknown = JSON.parse(await read('grafana/vitrine.json'));
    const expressions = valuesOf(dashboard, 'expr');
    expect(expressions.length).toBeGreaterThan(30);
    for (const expression of expressions) expectKnown(expression);
  });

  test('the alerts of Prometheus ask only for what /metrics has', async () => {
    const rules: unknown = parse(await read('prometheus/vitrine.rules.yml'));
    const expressions = valuesOf(rules, 'expr');
    expect(expressions).toHaveLength(15);
    for (const expression of expressions) expectKnown(expression);
  });

  test('every metric of ours is on the dashboard or in an alert', async () => {
    const used = (await read('grafana/vitrine.json')) + (await read('prometheus/vitrine.rules.yml'));
    const ours = new Set(known.samples.map(({ name }) => name).filter((name) => name.startsWith('vitrine_')));
    const families = [...ours].filter((name) => !/_(bucket|sum|count)$/.test(name));
    for (const name of families) expect(used, name).toContain(name);
  });
});
