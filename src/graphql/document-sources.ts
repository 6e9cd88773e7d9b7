import {
  type DefinitionNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  visit,
} from 'graphql';

/** A document as a client sends it: one operation with the fragments that it needs, which may be of several files. */
export interface ComposedDocument {
  /** The file of the operation. */
  readonly file: string;
  readonly text: string;
  /** `file:line` for a line of the text, from 1. */
  readonly placeOf: (line: number) => string;
}

/**
 * The documents of `.graphql` files. What is wrong with them is left to the check of each.
 * @param sources files and their texts
 */
export const composeDocuments = (sources: readonly (readonly [file: string, text: string])[]): ComposedDocument[] => {
  const operations: OperationDefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  const unparsed: ComposedDocument[] = [];
  for (const [file, text] of sources) {
    const definitions = definitionsOf(file, text);
    if (!definitions) unparsed.push({ file, text, placeOf: (line) => `${file}:${line}` });
    for (const definition of definitions ?? []) {
      if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
      else if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    }
  }
  const composed = operations.map((operation) => compose([operation, ...spreadIn(operation, fragments)]));
  return [...unparsed, ...composed];
};

/** @returns undefined for a text that does not parse */
const definitionsOf = (file: string, text: string): readonly DefinitionNode[] | undefined => {
  try {
    return parse(new Source(text, file)).definitions;
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
};

/** The fragments that a definition spreads, directly or within each other. */
const spreadIn = (
  definition: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Set<FragmentDefinitionNode> => {
  const found = new Set<FragmentDefinitionNode>();
  const collect = (node: DefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || found.has(fragment)) return;
        found.add(fragment);
        collect(fragment);
      },
    });
  };
  collect(definition);
  return found;
};

const compose = (definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[]): ComposedDocument => {
  const parts = definitions.map(({ loc }) => ({
    file: loc?.source.name ?? '',
    line: loc?.startToken.line ?? 1,
    text: loc?.source.body.slice(loc.start, loc.end) ?? '',
  }));
  return {
    file: parts[0]?.file ?? '',
    text: parts.map(({ text }) => text).join('\n'),
    placeOf: (line) => {
      let before = 0;
      for (const part of parts) {
        const lines = part.text.split('\n').length;
        if (line <= before + lines) return `${part.file}:${part.line + line - before - 1}`;
        before += lines;
      }
      return parts[0]?.file ?? '';
    },
  };
};
