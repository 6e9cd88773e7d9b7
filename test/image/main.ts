import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { carryOut } from './dockerfile.ts';

// What deploy/Dockerfile does, done without an engine in empty folders, and what the image would be, tried on a database of its own.

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

// Node 24 first, as in the image; of what npm tells its scripts, only where packages come from.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(cache|registry|userconfig)$)/i.test(name)),
);
environment.PATH = `${path.join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
environment.npm_config_prefer_offline = 'true';

/** What the ignore file lets through: it shuts everything out, opens some names, and shuts folders within them. */
const copyContext = async (to: string): Promise<void> => {
  const lines = (await readFile(path.join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8')).split('\n');
  const [all, ...rest] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(all, '*', 'the ignore file shuts everything out first');
  const shut = rest.filter((line) => !line.startsWith('!')).map((line) => path.join(ROOT, line));
  for (const name of rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1))) {
    await cp(path.join(ROOT, name), path.join(to, name), {
      recursive: true,
      filter: (source) => !shut.includes(source),
    });
  }
};

const work = await mkdtemp(path.join(tmpdir(), 'vitrine-image-'));
await using stack = new AsyncDisposableStack();
stack.defer(() => rm(work, { recursive: true }));

const context = path.join(work, 'context');
const stages = path.join(work, 'stages');
await mkdir(stages);
await copyContext(context);
const image = await carryOut({
  text: await readFile(path.join(ROOT, 'deploy/Dockerfile'), 'utf8'),
  context,
  work: stages,
  environment,
});
const app = path.join(image.root, image.workingDirectory);
const { stdout: size } = await run('du', ['-sm', app]);
console.log(`${Number.parseInt(size, 10)} MB beside Node`);
assert.ok(Number.parseInt(size, 10) < 200, 'the image is small');
assert.notEqual(Number.parseInt(image.user, 10), 0, 'it does not run as root');

const dataDir = path.join(work, 'data');
const database = await startEmbeddedDatabase({ dataDir, log: () => {}, settings: { fsync: 'off' } });
stack.defer(() => database.stop());

const [program = '', ...args] = image.entrypoint;
const inImage = {
  cwd: app,
  env: {
    ...image.environment,
    PATH: environment.PATH,
    DATABASE_URL: database.url,
    PORT: '0',
    HOST: '127.0.0.1',
    // Written elsewhere than into the image, which is read-only in production.
    NODE_COMPILE_CACHE: path.join(work, 'compiled'),
  },
};
const built = path.join(work, 'built');
await mkdir(built);

const forgetful = run(program, [...args, ...image.command], { ...inImage, env: { ...inImage.env, DATABASE_URL: '' } });
await assert.rejects(forgetful, /set DATABASE_URL/, 'without a database it says what to set');
for (const command of ['migrate', 'seed']) {
  const { stdout } = await run(program, [...args, command], inImage);
  console.log(`${command}: ${stdout.trim().split('\n').at(-1)}`);
}

const gateway = spawn(program, [...args, ...image.command], { ...inImage, stdio: ['ignore', 'pipe', 'inherit'] });
const ended = once(gateway, 'close');
stack.defer(() => void gateway.kill('SIGKILL'));
let output = '';
const url = await new Promise<string>((resolve, reject) => {
  gateway.stdout.on('data', (chunk) => {
    output += chunk;
    const [, found] = /listening on (http:[^"]+)/.exec(output) ?? [];
    if (found) resolve(found);
  });
  void ended.then(() => reject(new Error(`it ended before it listened:\n${output}`)));
});

const fetched = async (target: string): Promise<string> => {
  const response = await fetch(url + target, { headers: { accept: 'text/html, application/json' } });
  const body = await response.text();
  assert.equal(response.status, 200, `${target}: ${body}`);
  return body;
};
for (const target of ['/api/product/hot', '/api/notice/1', '/readyz', '/metrics', '/openapi.json', '/'])
  await fetched(target);
for (const page of ['/docs', '/graphql', '/demo']) {
  const scripts = [...(await fetched(page)).matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source ?? '');
  assert.notEqual(scripts.length, 0, `${page} loads a script`);
  // Relative, for those behind a prefix.
  for (const script of scripts) await fetched(new URL(script, url + page).pathname);
}

const [probe = '', ...probeArgs] = image.healthcheck;
const probing = (port: string): Promise<unknown> => run(probe, probeArgs, { env: { ...inImage.env, PORT: port } });
await probing(new URL(url).port);
await assert.rejects(probing('9'), 'the health check notices that nobody is there');

gateway.kill('SIGTERM');
assert.deepEqual(await ended, [0, null], 'it shuts down in order');
const { stdout: written } = await run('find', [app, '-newer', built]);
assert.equal(written, '', 'nothing was written into the image');
console.log('the image works');
