import { readConfig } from '../config/config.ts';
import { OperatorError } from '../errors.ts';
import { createDocumentCheck } from '../graphql/document-check.ts';
import { readable } from '../graphql/limits/document-size.ts';
import { createDocuments } from '../graphql/use-documents.ts';
import { type DocumentFault, readManifest } from '../graphql/use-trusted-documents.ts';
import { createSchema } from '../schema.ts';
import { defineCommand } from './commands.ts';

const DESCRIPTION = `Check GraphQL documents of clients: whether they fit the schema, what they cost, and which deprecated fields they use.

Reads files for TRUSTED_DOCUMENTS, and needs no database. The limits are those of the environment (QUERY_MAX_COST …).

Exit code 0: every operation can run, perhaps with warnings. 1: one would be refused.`;

export const documentsCheckCommand = defineCommand({
  description: DESCRIPTION,
  files: { valueHint: 'FILE…', description: 'A JSON file of documents.' },
  run: async (_, files) => {
    const config = readConfig(process.env);
    const schema = createSchema(config);
    const { queryLimits: limits, introspection } = config;
    const documents = createDocuments({ schema, limits, introspection, fieldSuggestions: true });
    const check = createDocumentCheck({ schema, documents, maxCost: limits.maxCost });
    const checkable = (await Promise.all(files.map(readDocuments))).flat();
    if (checkable.length === 0) throw new OperatorError('There is no operation in these files.');
    const reports = checkable.map(({ text, place }) => ({ place, ...check(text) }));
    for (const { place, faults, warnings } of reports) {
      for (const fault of faults) console.log(`error: ${place(fault)}: ${fault.message}`);
      for (const warning of warnings) console.log(`warning: ${place(warning)}: ${warning.message}`);
    }
    const faultCount = reports.flatMap(({ faults }) => faults).length;
    const warningCount = reports.flatMap(({ warnings }) => warnings).length;
    const [dearest] = reports.flatMap(({ costs }) => costs).toSorted((one, other) => other.cost - one.cost);
    const counts = `${counted(checkable.length, 'document')}, ${counted(faultCount, 'fault')}, ${counted(warningCount, 'warning')}.`;
    const most =
      dearest && ` ${dearest.name} costs most: at most ${readable(dearest.cost)} of ${readable(limits.maxCost)}.`;
    console.log(`${counts}${most ?? ''}`);
    process.exit(faultCount === 0 ? 0 : 1);
  },
});

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The documents of a file, each with where a fault in it is. @throws OperatorError for a file that cannot be read */
const readDocuments = async (file: string) =>
  (await readManifest(file)).map(([id, text]) => ({
    text,
    place: ({ name, line }: DocumentFault): string =>
      `${file}: ${name} (${id}${line === undefined ? '' : `, line ${line}`})`,
  }));
