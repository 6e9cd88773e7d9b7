import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type DocumentNode, type FragmentDefinitionNode, GraphQLError, Kind, parse, Source, visit } from 'graphql';
import { checkText, type QueryLimits } from '../graphql/limits/query-limits.ts';

/** Fragments that lie in files of their own, for every document that spreads them. */
export interface SharedFragments {
  /** A document with the shared fragments that it spreads; one of the same name in the document itself is used instead. */
  readonly complete: (document: DocumentNode) => CompletedDocument;
  /** The operator's fragments that no document has used so far. */
  readonly unused: () => readonly FragmentDefinitionNode[];
}

interface CompletedDocument {
  /** Its nodes know the file that they come from. */
  readonly document: DocumentNode;
  /** The same as one text, as a client of GraphQL would send it. */
  readonly text: string;
}

/** Reads a file of fragments, or undefined where the file holds anything else. @throws GraphQLError, AppError */
export const readFragments = async (
  file: string,
  limits: QueryLimits,
): Promise<readonly FragmentDefinitionNode[] | undefined> => {
  const text = await readFile(file, 'utf8');
  checkText(text, limits);
  const { definitions } = parse(new Source(text, file));
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return fragments.length === definitions.length ? fragments : undefined;
};

/**
 * @param builtIn take second place to the operator's of the same name
 * @throws GraphQLError where two of the operator's fragments have one name
 */
export const shareFragments = (
  builtIn: readonly FragmentDefinitionNode[],
  replacements: readonly FragmentDefinitionNode[],
): SharedFragments => {
  const byName = new Map(builtIn.map((fragment) => [fragment.name.value, fragment]));
  const replaced = new Map<string, FragmentDefinitionNode>();
  for (const fragment of replacements) {
    const name = fragment.name.value;
    const other = replaced.get(name);
    if (other) {
      throw new GraphQLError(`Fragment "${name}" is also in ${path.basename(other.loc?.source.name ?? '')}.`, {
        nodes: fragment,
      });
    }
    replaced.set(name, fragment);
    byName.set(name, fragment);
  }
  const used = new Set<FragmentDefinitionNode>();

  const complete = (document: DocumentNode): CompletedDocument => {
    const own = new Set(
      document.definitions.map((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? each.name.value : '')),
    );
    const added = new Set<FragmentDefinitionNode>();
    const add = (node: DocumentNode | FragmentDefinitionNode): void => {
      visit(node, {
        FragmentSpread: ({ name }) => {
          const fragment = own.has(name.value) ? undefined : byName.get(name.value);
          if (!fragment || added.has(fragment)) return;
          added.add(fragment);
          used.add(fragment);
          add(fragment);
        },
      });
    };
    add(document);
    const texts = [...added].map(({ loc }) => loc?.source.body.slice(loc.start, loc.end));
    return {
      document: { ...document, definitions: [...document.definitions, ...added] },
      text: [document.loc?.source.body.trimEnd(), ...texts].join('\n\n'),
    };
  };

  return { complete, unused: () => [...replaced.values()].filter((fragment) => !used.has(fragment)) };
};
