import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { connectionConfig, withConnection } from '../../src/database/connection.ts';
import { examine } from '../../src/doctor/doctor.ts';
import { FEATURES } from '../../src/features.ts';
import { seedDemoCatalogue } from '../../src/import/demo.ts';
import { runImport } from '../../src/import/import.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { createTestGateway, PATIENT, type TestGateway } from '../support/gateway.ts';
import { hasJitServer, startJitServer } from '../support/jit-server.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';

// To compile a statement takes PostgreSQL half a second, which is more than what any statement of ours takes.

const askEverything = async (gateway: TestGateway): Promise<void> => {
  const { errors } = await gateway.graphql(`{
    productSearch(search: "kettel") { totalCount correctedSearch facets { categories { count } brands { count } price { max } } }
    searchSuggestions(prefix: "te") { text }
    categories { productCount children { name } }
    newProducts { name category { ancestors { name } } }
    noticePage(keyword: "sale") { total }
  }`);
  expect(errors).toBeUndefined();
  expect((await gateway.get('/api/notice/1')).status).toBe(200);
};

test.skipIf(!hasJitServer)(
  'no session of a gateway compiles statements, nor one that migrates, seeds or imports',
  async () => {
    await using server = await startJitServer();
    await withConnection(connectionConfig(server.url), undefined, (client) => seedDemoCatalogue(client, IMPORT_KINDS));
    const config = readConfig({ DATABASE_URL: server.url });
    const log = pino({ level: 'silent' });
    const options = { format: undefined, currency: undefined, isDryRun: false };
    const paths = ['prisma/demo/notices.json'];
    await runImport({ ...options, kinds: IMPORT_KINDS, paths, config, log, rejectsPath: '/dev/null' });
    await using gateway = await createTestGateway(server, { ...PATIENT, CACHE_MAX_MB: '0' });
    await askEverything(gateway);
    const ours = (await server.compiled()).filter((entry) => entry.includes('vitrine'));
    expect(ours).toEqual([]);

    await server.sql('select count(*) from product');
    expect(await server.compiled()).toHaveLength(1);
  },
);

test.skipIf(!hasJitServer || !hasPgBouncer)('nor does one through a pooler in session mode', async () => {
  await using server = await startJitServer();
  await withConnection(connectionConfig(server.url), undefined, (client) => seedDemoCatalogue(client, IMPORT_KINDS));
  await using pooler = await startPgBouncer(server, { mode: 'session', poolSize: 20 });
  await using gateway = await createTestGateway(pooler, { ...PATIENT, DATABASE_POOLER: 'session' });
  await server.compiled();
  await askEverything(gateway);
  expect(await server.compiled()).toEqual([]);
});

test.skipIf(!hasJitServer || !hasPgBouncer)(
  'through one in transaction mode it is for the role to set, as log and doctor say',
  async () => {
    await using server = await startJitServer();
    await using pooler = await startPgBouncer(server, { mode: 'transaction' });
    const environment = {
      ...PATIENT,
      DATABASE_POOLER: 'transaction',
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: server.url,
    };
    const warned = async (): Promise<unknown[]> => {
      await using gateway = await createTestGateway(pooler, environment);
      return gateway.logged.map(({ msg }) => msg).filter((msg) => String(msg).includes('alter role … set jit = off'));
    };
    expect(await warned()).toHaveLength(1);
    const findings = await examine(FEATURES, readConfig(environment), pooler.url, 1);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'pooler', remedy: expect.stringContaining('jit = off') }),
    );

    await server.sql(`alter role shop set jit = off`);
    await pooler.kill();
    await pooler.start();
    expect(await warned()).toEqual([]);
  },
);
