import { execFile } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser } from 'dockerfile-ast';
import { validate as faultsOfDockerfile } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config/config.ts';
import { createTestDatabase } from '../support/database.ts';
import { hasNginx, nginxConfiguration } from '../support/nginx.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import { findProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Whoever deploys finds out that a file is wrong only there: here each is read by the program that it is for, or by its schema.

const ROOT = path.join(import.meta.dirname, '../..');
const DEPLOY = path.join(ROOT, 'deploy');
const run = promisify(execFile);
const read = (name: string): Promise<string> => readFile(path.join(DEPLOY, name), 'utf8');

/** `15s` in milliseconds. */
const ms = (duration = ''): number => Number.parseInt(duration, 10) * 1000;

const DEFAULTS = readConfig({});

/** Of Node, as `npm start` has them. */
const FLAGS = packageJson.scripts.start.match(/--\S+/g) ?? [];

const [ANALYZE, HAPROXY, NGINX] = ['systemd-analyze', 'haproxy', 'nginx'].map((name) => findProgram(name));

describe('the Dockerfile', async () => {
  const text = await read('Dockerfile');
  const instructions = DockerfileParser.parse(text).getInstructions();
  const argumentsOf = (keyword: string) =>
    instructions.filter((each) => each.getKeyword() === keyword).map((each) => each.getArgumentsContent());

  test('has no fault', () => {
    expect(faultsOfDockerfile(text)).toEqual([]);
  });

  test('brings the Node that the tests run on', () => {
    expect(argumentsOf('ARG')).toEqual([`NODE_VERSION=${packageJson.devDependencies.node}`]);
    for (const from of argumentsOf('FROM')) expect(from).toMatch(/^node:\$\{NODE_VERSION\}-slim\b/);
  });

  test('starts Node with the flags of npm start', () => {
    expect(JSON.parse(argumentsOf('ENTRYPOINT').at(-1) ?? '')).toEqual(['node', ...FLAGS, 'src/cli.ts']);
  });

  test('ends as a user that is not root, by number', () => {
    expect(argumentsOf('USER').at(-1)).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  });

  test('lets no file of a developer into the image', async () => {
    expect((await read('Dockerfile.dockerignore')).match(/^[^#\n].*$/m)?.[0]).toBe('*');
  });
});

describe('the Kubernetes manifests', async () => {
  const names = (await readdir(path.join(DEPLOY, 'kubernetes'))).filter((name) => name !== 'kustomization.yaml');
  const manifests = await Promise.all(names.map(async (name) => parse(await read(`kubernetes/${name}`))));
  const { resources } = parse(await read('kubernetes/kustomization.yaml'));
  const [deployment] = manifests.filter(({ kind }) => kind === 'Deployment');
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  test('are valid by the schemas of Kubernetes', async () => {
    expect(names.length).toBe(resources.length + 1);
    for (const manifest of manifests) {
      const { apiVersion, kind } = manifest;
      const { [kind]: Model } = await import(`kubernetes-models/${apiVersion}/${kind}`);
      expect(() => new Model(manifest).validate(), kind).not.toThrow();
    }
  });

  test('have no field that Kubernetes does not know', async () => {
    await using folder = await temporaryFolder();
    const lines = manifests.map(
      ({ apiVersion, kind, ...rest }) =>
        `const ${kind}: import('kubernetes-models/${apiVersion}/${kind}').I${kind} = ${JSON.stringify({ apiVersion, kind, ...rest }, null, 1)};`,
    );
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder.path, 'node_modules'));
    await folder.write('manifests.ts', lines.join('\n'));
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const checked = run(path.join(ROOT, 'node_modules/.bin/tsc'), [...options, 'manifests.ts'], { cwd: folder.path });
    expect(await checked.catch(({ stdout }: { stdout: string }) => stdout)).toMatchObject({ stdout: '' });
  });

  test('name what is there: labels, ports and one image of this version', () => {
    const { labels } = deployment.spec.template.metadata;
    const selectors = manifests.flatMap(({ kind, spec }) =>
      kind === 'Service' ? spec.selector : (spec.selector?.matchLabels ?? []),
    );
    expect(selectors.length).toBe(3);
    for (const selector of selectors) expect(selector).toEqual(labels);
    const ports = [container.livenessProbe, container.readinessProbe, container.startupProbe].map(
      ({ httpGet }) => httpGet.port,
    );
    expect([
      ...ports,
      ...manifests.flatMap(({ kind, spec }) => (kind === 'Service' ? spec.ports[0].targetPort : [])),
    ]).toEqual(new Array(4).fill(container.ports[0].name));
    const [service] = manifests.filter(({ kind }) => kind === 'Service');
    const [ingress] = manifests.filter(({ kind }) => kind === 'Ingress');
    for (const { backend } of ingress.spec.rules[0].http.paths) {
      expect(backend.service).toEqual({ name: service.metadata.name, port: { name: service.spec.ports[0].name } });
    }
    expect(container.ports[0].containerPort).toBe(DEFAULTS.port);
    const images = JSON.stringify(manifests).match(/"image":"[^"]+"/g) ?? [];
    expect(new Set(images)).toEqual(new Set([`"image":"registry.example/vitrine:${packageJson.version}"`]));
  });

  test('give a shutdown its time, and leave pods in while they know answers', () => {
    const values = container.env.filter((each: { value?: string }) => each.value !== undefined);
    const config = readConfig(
      Object.fromEntries(values.map((each: { name: string; value: string }) => [each.name, each.value])),
    );
    expect(config.shutdownDelayMs * 2).toBeLessThanOrEqual(config.shutdownTimeoutMs);
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(config.shutdownTimeoutMs);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(periodSeconds * failureThreshold * 1000).toBe(config.staleIfErrorMs);
    expect(container.startupProbe.failureThreshold * 1000).toBeGreaterThan(config.databaseWaitMs);
  });

  test('let storefronts in from outside, and nobody to probes and metrics', () => {
    const [{ spec }] = manifests.filter(({ kind }) => kind === 'Ingress');
    const [{ host, http }] = spec.rules;
    expect(spec.tls[0].hosts).toEqual([host]);
    expect(http.paths.map((each: { path: string }) => each.path)).toEqual(['/graphql', '/api']);
  });

  test('run without rights, and hold no secret', () => {
    const pods = manifests.filter(({ spec }) => spec.template).map(({ spec }) => spec.template.spec);
    expect(pods.length).toBe(2);
    for (const { securityContext, automountServiceAccountToken, containers } of pods) {
      expect(securityContext.runAsNonRoot).toBe(true);
      expect(automountServiceAccountToken).toBe(false);
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const [url] = containers[0].env;
      expect(url).toMatchObject({ name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'vitrine-database' } } });
      expect(url.value).toBeUndefined();
    }
  });
});

describe('the systemd unit', async () => {
  const unit = await read('systemd/vitrine@.service');
  const seconds = (key: string): number => Number(new RegExp(`^${key}=(\\d+)$`, 'm').exec(unit)?.[1]);
  const setting = (key: string): number => Number(new RegExp(`\\b${key}=(\\d+)`).exec(unit)?.[1]);

  test('starts Node with the flags of npm start', () => {
    expect(unit).toContain(`\nExecStart=/usr/bin/node ${FLAGS.join(' ')} src/cli.ts serve\n`);
  });

  test('gives start and shutdown their time', () => {
    expect(seconds('TimeoutStopSec') * 1000).toBeGreaterThan(setting('SHUTDOWN_TIMEOUT_MS'));
    expect(setting('SHUTDOWN_DELAY_MS') * 2).toBeLessThanOrEqual(setting('SHUTDOWN_TIMEOUT_MS'));
    expect(seconds('TimeoutStartSec') * 1000).toBeGreaterThan(DEFAULTS.databaseWaitMs);
  });

  test('migrates, then serves', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const commands = [...unit.matchAll(/^ExecStart(?:Pre)?=\/usr\/bin\/node (?:--\S+ )*src\/cli\.ts (\w+)$/gm)].map(
      ([, name]) => name,
    );
    expect(commands.at(-1)).toBe('serve');
    for (const name of commands.slice(0, -1)) {
      const command = runCli([String(name)], { DATABASE_URL: database.url });
      expect(await command.ended, command.output()).toBe(0);
    }
    await using gateway = await startGatewayProcess({ DATABASE_URL: database.url });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  });

  test('gives up a start that cannot work, and never one that waits for the database', () => {
    const restartMs = seconds('RestartSec') * 1000;
    const limitMs = seconds('StartLimitIntervalSec') * 1000;
    const burst = seconds('StartLimitBurst');
    // A start that fails at once fails within seconds, also on a slow machine.
    expect(burst * (5000 + restartMs)).toBeLessThan(limitMs);
    expect(burst * (DEFAULTS.databaseWaitMs + restartMs)).toBeGreaterThan(2 * limitMs);
  });

  test.skipIf(!ANALYZE)('is understood, and hardened', async () => {
    await using folder = await temporaryFolder();
    // Node is elsewhere in a checkout.
    const file = await folder.write('vitrine@.service', unit.replace('/usr/bin/node', process.execPath));
    const { stdout, stderr } = await run(String(ANALYZE), ['verify', file]);
    expect(stdout + stderr).toBe('');
    await run(String(ANALYZE), ['security', '--offline=true', '--threshold=20', file]);
  });
});

describe('the proxies', () => {
  test('let go of idle connections before the gateway does', async () => {
    const [haproxy, nginx] = await Promise.all([read('haproxy/haproxy.cfg'), read('nginx/nginx.conf.template')]);
    const [, kept] = /timeout server (\d+s)/.exec(haproxy) ?? [];
    const times = [kept, ...[...nginx.matchAll(/keepalive_timeout (\d+s)/g)].map(([, time]) => time)];
    expect(times.length).toBe(3);
    for (const time of times) expect(ms(time)).toBeLessThan(DEFAULTS.keepAliveTimeoutMs);
  });

  test('repeat only what cannot count a view', async () => {
    const patterns = await Promise.all([
      read('haproxy/haproxy.cfg').then((text) => /path -m reg (\S+)/.exec(text)?.[1]),
      read('nginx/nginx.conf.template').then(
        (text) => /location ~ (\S+) \{\s+proxy_next_upstream error/.exec(text)?.[1],
      ),
    ]);
    for (const pattern of patterns.map((text) => new RegExp(String(text)))) {
      for (const path of ['product/1', 'product/hot', 'product/new', 'product/list', 'notice/list', 'notice/page']) {
        expect(`/api/${path}`).toMatch(pattern);
      }
      for (const path of ['/api/notice/1', '/api/notice/%31', '/graphql']) expect(path).not.toMatch(pattern);
    }
  });

  test.skipIf(!HAPROXY)('HAProxy takes its file', async () => {
    for (const env of [{}, { LISTEN: '*:8080', GATEWAY_1: '10.0.0.1:4000', GATEWAY_2: '10.0.0.2:4000' }]) {
      const { stdout } = await run(String(HAPROXY), ['-c', '-f', path.join(DEPLOY, 'haproxy/haproxy.cfg')], { env });
      expect(stdout).toContain('Configuration file is valid');
    }
  });

  test.skipIf(!hasNginx).for([
    ['on this machine', ['*:8080', '127.0.0.1:4001', '127.0.0.1:4002', 'off']],
    ['elsewhere, and keeps answers', ['127.0.0.1:80', '10.0.0.1:4000', '10.0.0.2:4000', 'answers']],
  ] as const)('nginx takes its file with gateways %s', async ([, [LISTEN, GATEWAY_1, GATEWAY_2, CACHE]]) => {
    await using folder = await temporaryFolder();
    const text = nginxConfiguration({ LISTEN, GATEWAY_1, GATEWAY_2, CACHE }, folder.path);
    expect(text).toContain(`server ${GATEWAY_2} `);
    const { stderr } = await run(String(NGINX), ['-t', '-c', await folder.write('nginx.conf', text)]);
    expect(stderr).toContain('test is successful');
  });
});
