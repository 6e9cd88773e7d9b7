import path from 'node:path';
import { type DocumentNode, type FragmentDefinitionNode, GraphQLError, Kind, visit } from 'graphql';

/** The fragments of files that hold nothing else, for every document that spreads them. */
export class SharedFragments {
  readonly #builtIn = new Map<string, FragmentDefinitionNode>();
  /** They replace built-in ones of the same name. */
  readonly #replacements = new Map<string, FragmentDefinitionNode>();
  readonly #used = new Set<FragmentDefinitionNode>();

  addBuiltIn(fragment: FragmentDefinitionNode): void {
    this.#builtIn.set(fragment.name.value, fragment);
  }

  /** @throws GraphQLError where two replacements have one name */
  addReplacement(fragment: FragmentDefinitionNode): void {
    const name = fragment.name.value;
    const other = this.#replacements.get(name);
    if (other) {
      const file = path.basename(other.loc?.source.name ?? '');
      throw new GraphQLError(`Fragment "${name}" is also in ${file}.`, { nodes: fragment });
    }
    this.#replacements.set(name, fragment);
  }

  /** The replacements that no document has spread so far. */
  unused(): FragmentDefinitionNode[] {
    return [...this.#replacements.values()].filter((fragment) => !this.#used.has(fragment));
  }

  /**
   * Adds the shared fragments that a document spreads; its own fragments take precedence.
   * @returns a document whose nodes know their files, and the same as one text, as a client of GraphQL would send it
   */
  complete(document: DocumentNode): { document: DocumentNode; text: string } {
    const own = document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [each.name.value] : [],
    );
    const added = new Set<FragmentDefinitionNode>();
    const addSpreadIn = (node: DocumentNode | FragmentDefinitionNode): void => {
      visit(node, {
        FragmentSpread: ({ name: { value: name } }) => {
          const fragment = own.includes(name) ? undefined : (this.#replacements.get(name) ?? this.#builtIn.get(name));
          if (!fragment || added.has(fragment)) return;
          added.add(fragment);
          this.#used.add(fragment);
          addSpreadIn(fragment);
        },
      });
    };
    addSpreadIn(document);
    const texts = [...added].map(({ loc }) => loc?.source.body.slice(loc.start, loc.end));
    return {
      document: { ...document, definitions: [...document.definitions, ...added] },
      text: [document.loc?.source.body.trimEnd(), ...texts].join('\n\n'),
    };
  }
}
