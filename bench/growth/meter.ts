import { type KeptDatabase, serverOf } from '../database/kept-database.ts';
import { cpuUsOfAll, cpuUsOfChildren } from '../machine/process-usage.ts';
import type { RunningServer } from '../servers/start.ts';

/** CPU time in microseconds. */
export interface Used {
  readonly server: number;
  /** Of the server's own connections. */
  readonly postgres: number;
}

/** What one server does to two machines: the one it runs on and the one its database runs on. */
export interface Meter {
  /** What an action costs. */
  readonly use: (action: () => Promise<unknown>) => Promise<Used>;
  /** A counter of the server's metrics, summed over the labels that match. */
  readonly count: (name: string, labels?: string) => Promise<number>;
  readonly connections: () => Promise<number>;
}

export const createMeter = async ({ client: database }: KeptDatabase, server: RunningServer): Promise<Meter> => {
  const { postmaster } = await serverOf(database);
  if (postmaster === undefined) throw new Error('PostgreSQL must run on this machine: its CPU time is measured.');

  const backends = async (): Promise<ReadonlySet<number>> => {
    const { rows } = await database.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'vitrine'`,
    );
    return new Set(rows.map(({ pid }) => pid));
  };

  return {
    use: async (action) => {
      const before = { server: cpuUsOfAll(server.pid) ?? 0, postgres: cpuUsOfChildren(postmaster) };
      await action();
      const after = { server: cpuUsOfAll(server.pid) ?? 0, postgres: cpuUsOfChildren(postmaster) };
      let postgres = 0;
      for (const pid of await backends()) postgres += (after.postgres.get(pid) ?? 0) - (before.postgres.get(pid) ?? 0);
      return { server: after.server - before.server, postgres };
    },
    count: async (name, labels = '') => {
      const { body } = await server.client.call({ method: 'GET', target: '/metrics' });
      const lines = body.toString().split('\n');
      return lines
        .filter((line) => line.startsWith(name) && line.includes(labels))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    connections: async () => (await backends()).size,
  };
};
