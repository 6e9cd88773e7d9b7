/**
 * Does all of a release but its publication: `npm run release -- 0.2.0`, on a clean main whose CI is green. Moves version and changelog, keeps the schema for the
 * check of the next release (schema-changes.ts), packs into `release/`, commits and tags. Pushes nothing, and prints what is left to do.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const UNRELEASED = '## [Unreleased]';

/**
 * The changelog with its unreleased part as that of a version.
 * @param date `2026-12-24`
 * @throws Error where nothing is unreleased
 */
export const releasedChangelog = (changelog: string, version: string, date: string): string => {
  const [before, after] = changelog.split(`${UNRELEASED}\n`);
  if (before === undefined || after === undefined) throw new Error(`CHANGELOG.md has no "${UNRELEASED}".`);
  if (after.split(/^## /m)[0]?.trim() === '') throw new Error('CHANGELOG.md says nothing of what is released.');
  return `${before}${UNRELEASED}\n\n## [${version}] - ${date}\n${after}`;
};

/** A text with the version in the names of image, package and tag. */
export const withVersion = (text: string, from: string, to: string): string =>
  text.replaceAll(new RegExp(`(\\bvitrine[:-]|\\bref=v)${from.replaceAll('.', '\\.')}(?![\\d.]*\\d)`, 'g'), `$1${to}`);

const main = async (version: string | undefined): Promise<void> => {
  const root = process.cwd();
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  const git = (...args: string[]): string => run('git', ...args);
  const edit = async (file: string, change: (text: string) => string): Promise<void> => {
    const text = await readFile(path.join(root, file), 'utf8');
    const changed = change(text);
    if (changed !== text) await writeFile(path.join(root, file), changed);
  };

  const { version: current } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`Which version? This one is ${current}: npm run release -- X.Y.Z`);
  const tag = `v${version}`;
  if (git('status', '--porcelain') !== '') throw new Error('There are changes that are not committed.');
  if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} is there already.`);

  const folder = path.join(root, 'release');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  try {
    const date = new Date().toISOString().slice(0, 10);
    await edit('CHANGELOG.md', (text) => releasedChangelog(text, version, date));
    await edit('package.json', (text) => text.replace(`"version": "${current}"`, `"version": "${version}"`));
    // Of its two roots.
    await edit('package-lock.json', (text) => {
      const [head = '', name = '', ...rest] = text.split(`"version": "${current}"`);
      return [head, name, rest.join(`"version": "${current}"`)].join(`"version": "${version}"`);
    });
    const named = git('ls-files', 'deploy', 'docs', 'compose.yaml', 'README.md').split('\n');
    for (const file of named.filter((name) => /\.(md|ya?ml)$|Dockerfile$/.test(name)))
      await edit(file, (text) => withVersion(text, current, version));
    await copyFile(path.join(root, 'schema.graphql'), path.join(root, 'packaging/released.graphql'));
    // npm names its own file to scripts; on Windows, the command `npm` is a script that only a shell runs.
    const { npm_execpath: npmFile } = process.env;
    const pack = ['pack', '--silent', '--pack-destination', folder];
    if (npmFile) run(process.execPath, npmFile, ...pack);
    else run('npm', ...pack);
    git('commit', '--all', '--quiet', '--message', `release: ${tag}`);
  } catch (error) {
    git('restore', '.');
    throw error;
  }
  git('tag', '--annotate', tag, '--message', tag);

  const tarball = `vitrine-${version}.tgz`;
  const sha256 = createHash('sha256')
    .update(await readFile(path.join(folder, tarball)))
    .digest('hex');
  await writeFile(path.join(folder, 'SHA256SUMS'), `${sha256}  ${tarball}\n`);
  await writeFile(
    path.join(folder, 'provenance.json'),
    `${JSON.stringify(provenance(tarball, sha256, tag, git('rev-parse', 'HEAD')), null, 2)}\n`,
  );
  console.log(leftToDo(version, tag));
};

/** What was made of what: https://slsa.dev/spec/v1.1/provenance. Not signed; the workflow signs that of the package that it makes itself. */
const provenance = (name: string, sha256: string, tag: string, gitCommit: string) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name, digest: { sha256 } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://docs.npmjs.com/cli/commands/npm-pack',
      externalParameters: { tag },
      internalParameters: { node: process.version },
      resolvedDependencies: [{ uri: `git+.@refs/tags/${tag}`, digest: { gitCommit } }],
    },
    runDetails: { builder: { id: 'packaging/release.ts' } },
  },
});

const leftToDo = (version: string, tag: string): string => `
${tag} is committed and tagged, and packed into release/. Nothing was pushed or published. To undo it: git tag --delete ${tag} && git reset --hard HEAD~1

To publish it:

  git push origin HEAD ${tag}
      The workflow "release" packs the tag again, signs its provenance and drafts a release of GitHub with the package. Look at it and publish it.

  docker buildx build --provenance=mode=max --sbom=true -f deploy/Dockerfile -t registry.example/vitrine:${version} --push .
      With your registry, which the files of deploy/kubernetes name, too.

  npm publish release/vitrine-${version}.tgz
      Only if it is to be in a registry of npm: package.json says "private", which npm refuses.`;

if (import.meta.main) {
  await main(process.argv[2]).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
