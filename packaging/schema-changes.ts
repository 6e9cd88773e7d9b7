/**
 * Compares schema.graphql with that of the last release (packaging/released.graphql, which packaging/release.ts writes). Fails where documents of clients
 * may no longer fit, unless CHANGELOG.md names what changed under "### Breaking" of its unreleased part. Before the first release, the file holds the schema as it
 * was promised first.
 */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BreakingChangeType, buildSchema, findSchemaChanges, type GraphQLSchema, isInputObjectType } from 'graphql';

const ROOT = path.join(import.meta.dirname, '..');

const BREAKING: ReadonlySet<string> = new Set(Object.values(BreakingChangeType));

/** `Product.stock`, `Query.product(id:)`, `@directive` or `Money`, as a description of graphql names it. */
const COORDINATE = /[A-Z]\w*\.\w+(?:\(\w+:\))?|@\w+|\w+(?= (?:was removed|changed))/;

/** The part of the changelog between a heading and the next one of its level or above. */
const sectionOf = (markdown: string, heading: string): string => {
  const lines = markdown.split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) return '';
  const isNext = new RegExp(`^#{1,${heading.indexOf(' ')}} `);
  const length = lines.slice(start + 1).findIndex((line) => isNext.test(line));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
};

const oneOfs = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter((type) => isInputObjectType(type) && type.isOneOf)
    .map(({ name }) => name);

/** The breaking changes that the changelog does not name, one sentence each. */
export const undeclaredBreaks = (released: string, current: string, changelog: string): string[] => {
  const declared = sectionOf(sectionOf(changelog, '## [Unreleased]'), '### Breaking');
  const [before, after] = [buildSchema(released), buildSchema(current)];
  const reported = findSchemaChanges(before, after).filter(({ type }) => BREAKING.has(type));
  // graphql does not report these: findings/graphql-one-of-breaking.sh.
  const narrowed = oneOfs(after).filter((name) => before.getType(name) && !oneOfs(before).includes(name));
  return [
    ...reported.map(({ description }) => description),
    ...narrowed.map((name) => `${name} changed to @oneOf.`),
  ].filter((description) => !declared.includes(`\`${COORDINATE.exec(description)?.[0]}\``));
};

if (import.meta.main) {
  const read = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');
  const [released, current, changelog] = await Promise.all([
    read('packaging/released.graphql'),
    read('schema.graphql'),
    read('CHANGELOG.md'),
  ]);
  for (const change of undeclaredBreaks(released, current, changelog)) {
    const coordinate = COORDINATE.exec(change)?.[0];
    console.error(
      `schema.graphql breaks clients of the last release: ${change} If that is meant, name \`${coordinate}\` under "### Breaking" of CHANGELOG.md's unreleased part.`,
    );
    process.exitCode = 1;
  }
}
