/**
 * Installs workspaces, which `npm ci` leaves out, for the scripts that need them: `node packaging/install-workspaces.ts vitrine-bench vitrine-test`.
 * Does nothing for one that is there. The versions are those of package-lock.json.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

// npm links a workspace that it has installed into node_modules.
const missing = process.argv.slice(2).filter((name) => !existsSync(path.join(ROOT, 'node_modules', name)));
if (missing.length > 0) {
  console.log(`Installing ${missing.join(' and ')}, which "npm ci" leaves out.`);
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  // .npmrc switches workspaces off.
  const workspaces = ['--workspaces=true', ...missing.map((name) => `--workspace=${name}`)];
  // npm names its own file to scripts; on Windows, the command `npm` is a script that only a shell runs.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command = 'npm', ...args] = [...npm, 'install', ...options, ...workspaces];
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
