import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { releasedChangelog, withVersion } from '../../packaging/release.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const VERSION = '99.1.2';
const run = promisify(execFile);

describe('npm run release', { timeout: 180_000 }, () => {
  let clone: string;
  const environment = {
    ...process.env,
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@shop.example',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@shop.example',
  };
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', args, { cwd: clone, env: environment })).stdout.trim();
  const release = (...args: string[]): Promise<string> =>
    run(process.execPath, ['packaging/release.ts', ...args], { cwd: clone, env: environment }).then(
      ({ stdout }) => stdout,
      ({ stderr }) => stderr,
    );
  const read = (file: string): Promise<string> => readFile(path.join(clone, file), 'utf8');

  beforeAll(async () => {
    clone = await mkdtemp(path.join(tmpdir(), 'vitrine-release-'));
    await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]);
    // What is changed and not committed is tried, too.
    const { stdout: changed } = await run('git', ['ls-files', '--modified', '--others', '--exclude-standard'], {
      cwd: ROOT,
    });
    for (const file of changed.split('\n').filter(Boolean)) await cp(path.join(ROOT, file), path.join(clone, file));
    await appendFile(path.join(clone, '.git/info/exclude'), 'node_modules\n');
    await symlink(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
    // Right after a release, nothing is unreleased.
    const changelog = path.join(clone, 'CHANGELOG.md');
    const text = await readFile(changelog, 'utf8');
    await writeFile(changelog, text.replace('## [Unreleased]\n', '## [Unreleased]\n\n### Fixed\n\n- Something.\n'));
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'something to release');
  });
  afterAll(() => rm(clone, { recursive: true }));

  test('refuses what is no version, and a tree with changes', async () => {
    expect(await release()).toContain(`Which version? This one is ${packageJson.version}`);
    expect(await release('1.0')).toContain('Which version?');
    await appendFile(path.join(clone, 'README.md'), 'More.\n');
    expect(await release(VERSION)).toBe('There are changes that are not committed.\n');
    await git('restore', '.');
  });

  test('leaves everything as it was where it cannot pack', async () => {
    const file = path.join(clone, 'packaging/compile.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, "throw new Error('it does not compile');");
    await git('commit', '--all', '--quiet', '--message', 'broken');
    expect(await release(VERSION)).toContain('pack');
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('tag', '--list')).not.toContain(VERSION);
    await writeFile(file, text);
    await git('commit', '--all', '--quiet', '--message', 'mended');
  });

  test('moves version and changelog, packs, commits and tags, and publishes nothing', async () => {
    const said = await release(VERSION);
    expect(said).toContain('Nothing was pushed or published.');
    expect(said).toContain(`-t registry.example/vitrine:${VERSION} --push`);
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('log', '-1', '--format=%s')).toBe(`release: v${VERSION}`);
    expect(await git('rev-parse', `v${VERSION}^{commit}`)).toBe(await git('rev-parse', 'HEAD'));

    expect(JSON.parse(await read('package.json')).version).toBe(VERSION);
    const lock = JSON.parse(await read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual([VERSION, VERSION]);
    for (const file of [
      'compose.yaml',
      'deploy/compose.yaml',
      'deploy/kubernetes/deployment.yaml',
      'docs/operations.md',
    ]) {
      expect(await read(file)).toContain(`vitrine:${VERSION}`);
    }
    expect(
      await git('grep', '--count', `vitrine:${packageJson.version}`, '--', 'deploy', 'compose.yaml').catch(() => ''),
    ).toBe('');
    expect(await read('CHANGELOG.md')).toMatch(/^## \[Unreleased\]\n\n## \[99\.1\.2\] - \d{4}-\d\d-\d\d\n\n\S/m);
    expect(await read('packaging/released.graphql')).toBe(await read('schema.graphql'));

    const tarball = path.join(clone, `release/vitrine-${VERSION}.tgz`);
    const sha256 = createHash('sha256')
      .update(await readFile(tarball))
      .digest('hex');
    expect(await read('release/SHA256SUMS')).toBe(`${sha256}  vitrine-${VERSION}.tgz\n`);
    expect(JSON.parse(await read('release/provenance.json'))).toMatchObject({
      subject: [{ name: `vitrine-${VERSION}.tgz`, digest: { sha256 } }],
      predicate: {
        buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: await git('rev-parse', 'HEAD') } }] },
      },
    });
    const { stdout: packed } = await run('tar', ['-xOzf', tarball, 'package/package.json']);
    expect(JSON.parse(packed).version).toBe(VERSION);

    expect(await release(VERSION)).toBe(`The tag v${VERSION} is there already.\n`);
    // Nothing is in the changelog for a further one.
    expect(await release('99.2.0')).toContain('CHANGELOG.md says nothing of what is released.');
    expect(await git('status', '--porcelain')).toBe('');
  });
});

test('a changelog keeps what earlier releases said', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [0.1.0] - 2026-11-30\n\n- First.\n';
  expect(releasedChangelog(changelog, '0.2.0', '2026-12-24')).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-24\n\n- New.\n\n## [0.1.0] - 2026-11-30\n\n- First.\n',
  );
  expect(() => releasedChangelog('# Changelog\n', '0.2.0', '2026-12-24')).toThrow('has no');
});

test('a version is changed where it names image, package or tag, and nowhere else', () => {
  expect(withVersion('vitrine:0.1.0 vitrine-0.1.0.tgz ref=v0.1.0 pkg 0.1.0 vitrine:0.1.01', '0.1.0', '0.2.0')).toBe(
    'vitrine:0.2.0 vitrine-0.2.0.tgz ref=v0.2.0 pkg 0.1.0 vitrine:0.1.01',
  );
});
