import { readFile } from 'node:fs/promises';
import { GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import * as v from 'valibot';
import { OperatorError } from '../errors.ts';
import type { Documents } from './documents.ts';

const MANIFEST_FORMAT = 'apollo-persisted-query-manifest';

/** A map of ids to texts (Relay, GraphQL Code Generator), or Apollo's manifest. */
const FILE = v.union([
  v.object({
    format: v.literal(MANIFEST_FORMAT),
    operations: v.array(v.object({ id: v.pipe(v.string(), v.nonEmpty()), body: v.string() })),
  }),
  v.pipe(
    // A record would accept a list.
    v.custom<object>((content) => !Array.isArray(content)),
    v.record(v.pipe(v.string(), v.nonEmpty()), v.string()),
  ),
]);

/**
 * Reads a file of documents.
 * @returns ids and texts
 * @throws OperatorError if it cannot be read or has another form
 */
export const readManifest = async (file: string): Promise<[id: string, text: string][]> => {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`Trusted documents: ${file} cannot be read: ${(error as Error).message}`);
  }
  const { success, output } = v.safeParse(FILE, content);
  if (!success) {
    throw new OperatorError(
      `Trusted documents: ${file} must be a JSON object of ids and texts, or a manifest with "format": "${MANIFEST_FORMAT}"`,
    );
  }
  return isManifest(output) ? output.operations.map(({ id, body }) => [id, body]) : Object.entries(output);
};

type Content = v.InferOutput<typeof FILE>;
type Manifest = Extract<Content, { readonly operations: readonly unknown[] }>;

const isManifest = (content: Content): content is Manifest => Array.isArray(content.operations);

/** Why a document would be refused. */
export interface DocumentFault {
  /** Of its first operation, as far as it is known. */
  readonly name: string;
  readonly message: string;
  /** Of the text, from 1; undefined where the fault has no place. */
  readonly line: number | undefined;
}

/** @param check as clients' documents are checked */
export const faultsOf = (text: string, check: Documents['check']): DocumentFault[] => {
  try {
    const { document, errors } = check(text);
    const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
    if (!operation) return [{ name: 'document', message: 'It has no operation.', line: undefined }];
    return errors.map((error) => toFault(nameOf(operation), error));
  } catch (error) {
    return [toFault('document', error as Error)];
  }
};

export const nameOf = ({ name }: OperationDefinitionNode): string => name?.value ?? 'unnamed operation';

const toFault = (name: string, error: Error): DocumentFault => ({
  name,
  message: error.message,
  line: error instanceof GraphQLError ? error.locations?.[0]?.line : undefined,
});

export const describe = ({ line, message }: DocumentFault): string =>
  line === undefined ? message : `line ${line}: ${message}`;
