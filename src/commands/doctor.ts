import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { type Config, findMisspellings, readConfig } from '../config/config.ts';
import { openOrJoinDatabase } from '../database/open.ts';
import { examine } from '../doctor/doctor.ts';
import { type Finding, fail, ok, warn } from '../doctor/finding.ts';
import { OperatorError } from '../errors.ts';
import { FEATURES } from '../features.ts';
import { createLog } from '../observability/log.ts';
import { defineCommand, usageError } from './commands.ts';

export const doctorCommand = defineCommand({
  description:
    'Look for what keeps a gateway from working here, and say what to do.\n\nChanges nothing. Exit code 0: it works. 1: something is wrong.',
  options: {
    instances: {
      type: 'string',
      description: 'Gateways that are to run on this database.',
      valueHint: 'N',
      default: '1',
    },
    json: { type: 'boolean', description: 'Answer in JSON.' },
  },
  run: async ({ instances, json }) => {
    if (!/^[1-9]\d{0,3}$/.test(instances))
      throw usageError(`--instances must be a number from 1 to 9999, but is "${instances}".`);
    const findings = await look(Number(instances));
    const isWell = findings.every(({ status }) => status !== 'fail');
    console.log(json ? JSON.stringify({ ok: isWell, findings }, null, 2) : toText(findings));
    process.exit(isWell ? 0 : 1);
  },
});

const look = async (instances: number): Promise<Finding[]> => {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [fail('environment', error.message, 'Set them as docs/configuration.md or "vitrine serve --help" says.')];
  }
  const environment = [
    ok('environment', 'every variable can be read'),
    ...findMisspellings(process.env).map(({ warning, isOpening }) =>
      (isOpening ? fail : warn)('environment', warning, 'Correct its name, or remove it.'),
    ),
  ];
  return [...environment, ...(await lookAtDatabase(config, instances))];
};

const lookAtDatabase = async (config: Config, instances: number): Promise<Finding[]> => {
  const { databaseUrl, dataDir } = config;
  // An operator's database is not waited for: if it is away, that is the finding.
  if (databaseUrl !== undefined) return examine(FEATURES, config, databaseUrl, instances);
  if (!existsSync(join(dataDir, 'postgres'))) {
    const message = `none yet in ${dataDir}: "npx vitrine serve" makes one. (DATABASE_URL names one of your own.)`;
    return [ok('database', message)];
  }
  try {
    const database = await openOrJoinDatabase(config, await createLog({ logLevel: 'silent' }));
    return await examine(FEATURES, config, database.url, instances).finally(database.close);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [fail('database', error.message, 'Mend the data directory, or let DATA_DIR name another one.')];
  }
};

const MARKS = { ok: ['green', 'ok  '], warn: ['yellow', 'warn'], fail: ['red', 'FAIL'] } as const;

const toText = (findings: readonly Finding[]): string => {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, message, remedy }) => {
    const [colour, mark] = MARKS[status];
    const indent = ' '.repeat(width + 7);
    const first = `${styleText(colour, mark)}  ${check.padEnd(width)} ${message.replaceAll('\n', `\n${indent}`)}`;
    return remedy ? [first, `${indent}→ ${remedy}`] : [first];
  });
  const count = findings.filter(({ status }) => status === 'fail').length;
  const wrong = count === 0 ? 'Nothing is' : count === 1 ? '1 thing is' : `${count} things are`;
  return [...lines, '', `${wrong} wrong.`].join('\n');
};
