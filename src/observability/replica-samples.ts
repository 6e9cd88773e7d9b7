import { Gauge, type Registry } from 'prom-client';
import type { Replica } from '../database/replicas/replica.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import { counterOf } from './prometheus-types.ts';

/** What is told of a replica. */
interface CountedReplica extends Pick<Replica, 'name' | 'isAway' | 'lag' | 'stats'> {
  readonly pool: Pick<Replica['pool'], 'totalCount' | 'waitingCount'>;
}

interface Sources {
  readonly all: readonly CountedReplica[];
  readonly stats: Replicas['stats'];
}

/** The metrics of replicas, where there are any. */
export const countReplicas = (registry: Registry, { all, stats }: Sources): void => {
  const counter = counterOf(registry);

  const gauge = (
    name: string,
    help: string,
    aggregator: 'min' | 'max' | 'sum',
    read: (replica: CountedReplica) => number,
  ) => {
    new Gauge({
      name,
      help,
      labelNames: ['replica'],
      registers: [registry],
      aggregator,
      collect() {
        this.reset();
        for (const replica of all) this.set({ replica: replica.name }, read(replica));
      },
    });
  };

  counter(
    'vitrine_operations_read_total',
    'Operations whose answer was not known, by the server that they were read from.',
    ['server'],
    () => [
      { labels: { server: 'primary' }, value: stats.primary },
      ...[...stats.chosen].map(([server, value]) => ({ labels: { server }, value })),
    ],
  );
  counter(
    'vitrine_replica_passed_over_total',
    'Operations that a replica could not serve: away, other (it does not follow the primary), lag, change (not known to hold one that was told), busy.',
    ['replica', 'reason'],
    () =>
      [...stats.passedOver].flatMap(([replica, reasons]) =>
        [...reasons].map(([reason, value]) => ({ labels: { replica, reason }, value })),
      ),
  );
  counter(
    'vitrine_replica_failures_total',
    'Statements that failed on a replica, and were sent to the primary.',
    ['replica'],
    () => all.map(({ name, stats: { failures } }) => ({ labels: { replica: name }, value: failures })),
  );
  gauge('vitrine_replica_connected', 'Whether it says how far it is.', 'min', ({ isAway }) => (isAway() ? 0 : 1));
  gauge(
    'vitrine_replica_lag_seconds',
    'How far it was behind the primary when it last said how far it is; not a number while it is not known.',
    'max',
    ({ lag }) => (lag()?.ms ?? Number.NaN) / 1000,
  );
  gauge(
    'vitrine_replica_lag_bytes',
    'The same in bytes of the write-ahead log.',
    'max',
    ({ lag }) => lag()?.bytes ?? Number.NaN,
  );
  gauge('vitrine_replica_pool_connections', 'Open connections of its pool.', 'sum', ({ pool }) => pool.totalCount);
  gauge(
    'vitrine_replica_pool_waiting',
    'Statements that wait for one of them.',
    'sum',
    ({ pool }) => pool.waitingCount,
  );
};
