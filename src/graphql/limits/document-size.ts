import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLError,
  Kind,
  Lexer,
  type SelectionNode,
  type SelectionSetNode,
  type Source,
  TokenKind,
} from 'graphql';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import { collectFields, type Fragments, fragmentsOf, type Parent, rootOf } from '../selection.ts';

/** Reading takes time for each character, comments and blanks included, and so does finding the line of an error. */
const CHARS_PER_TOKEN = 16;

/** Each level of fields may be wrapped once more: in an inline fragment, or in arguments. */
const NESTING_PER_DEPTH = 2;

/** Validation compares fragments pair by pair. */
const MAX_FRAGMENTS = 50;

/** Of selections that merge into one field: a field that is repeated a hundred times makes 4,950. */
const MAX_PAIRS = 5000;

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Reads the tokens of a document before it is parsed: parser and validator recurse as deep as the text nests, and could overflow the stack.
 * @returns a lexer at the start that has read all tokens: the parser gets them from it, and reads no character again
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for a syntax error in a token
 */
export const readTokens = (source: Source, { maxTokens, maxDepth }: QueryLimits): Lexer => {
  const { length } = source.body;
  const maxChars = maxTokens * CHARS_PER_TOKEN;
  if (length > maxChars) {
    throw tooComplex(
      `The document has ${readable(length)} characters, and may have ${readable(maxChars)} (${CHARS_PER_TOKEN} for each of QUERY_MAX_TOKENS).`,
      { limit: 'characters', maximum: maxChars, actual: length },
    );
  }
  const { lexer, tokens, nesting } = measureTokens(source);
  if (tokens > maxTokens) {
    throw tooComplex(
      `The document has ${readable(tokens)} tokens, and may have ${readable(maxTokens)} (QUERY_MAX_TOKENS).`,
      { limit: 'QUERY_MAX_TOKENS', maximum: maxTokens, actual: tokens },
    );
  }
  const maxNesting = maxDepth * NESTING_PER_DEPTH;
  if (nesting > maxNesting) {
    throw tooComplex(
      `The document nests braces, brackets and parentheses ${readable(nesting)} deep, and may ${maxNesting} (twice QUERY_MAX_DEPTH).`,
      { limit: 'nesting', maximum: maxNesting, actual: nesting },
    );
  }
  return lexer;
};

const measureTokens = (source: Source): { lexer: Lexer; tokens: number; nesting: number } => {
  const lexer = new Lexer(source);
  const start = lexer.token;
  let tokens = 0;
  let open = 0;
  let nesting = 0;
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    tokens += 1;
    if (OPENING.has(kind)) {
      open += 1;
      if (open > nesting) nesting = open;
    } else if (CLOSING.has(kind)) open -= 1;
  }
  lexer.token = start;
  lexer.lastToken = start;
  return { lexer, tokens, nesting };
};

/** The size of a selection, fragments written out. */
interface Size {
  readonly fields: number;
  readonly depth: number;
  /** Selection sets within selection sets, those of fragments included. */
  readonly nesting: number;
}

const NOTHING: Size = { fields: 0, depth: 0, nesting: 0 };

/**
 * Checks what a parsed document selects before it is validated. Validation and all later steps take time that grows with the fragments written
 * out: a few hundred characters of fragments that spread each other twice may select 2^50 fields. Here each fragment is measured once.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError as validation would, for a fragment within itself; other faults are left to validation
 */
export const checkSelections = (document: DocumentNode, { maxDepth, maxFields }: QueryLimits): void => {
  const fragments = fragmentsOf(document);
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const count = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (count > MAX_FRAGMENTS) {
    throw tooComplex(`The document has ${count} fragments, and may have ${MAX_FRAGMENTS}.`, {
      limit: 'fragments',
      maximum: MAX_FRAGMENTS,
      actual: count,
    });
  }

  const measured = new Map<FragmentDefinitionNode, Size>();
  /** Those that are being measured. */
  const open = new Set<FragmentDefinitionNode>();
  const path: string[] = [];

  const checkDepth = (depth: number): void => {
    if (depth <= maxDepth) return;
    throw tooComplex(
      `The document selects fields more than ${maxDepth} deep (QUERY_MAX_DEPTH), at "${path.slice(0, maxDepth + 1).join('.')}".`,
      { limit: 'QUERY_MAX_DEPTH', maximum: maxDepth, actual: depth, field: path.join('.') },
    );
  };

  const maxNesting = maxDepth * NESTING_PER_DEPTH;
  const checkNesting = (nesting: number): void => {
    if (nesting <= maxNesting) return;
    throw tooComplex(
      `The document nests selections and fragments more than ${maxNesting} deep (twice QUERY_MAX_DEPTH).`,
      { limit: 'nesting', maximum: maxNesting, actual: nesting },
    );
  };

  /** @param depth, nesting of what the selection set is in */
  const measure = ({ selections }: SelectionSetNode, depth: number, nesting: number): Size => {
    checkNesting(nesting + 1);
    const sum = { fields: 0, depth: 0, nesting: 0 };
    for (const selection of selections) {
      const size = measureSelection(selection, depth, nesting + 1);
      sum.fields += size.fields;
      sum.depth = Math.max(sum.depth, size.depth);
      sum.nesting = Math.max(sum.nesting, size.nesting);
    }
    sum.nesting += 1;
    return sum;
  };

  const measureSelection = (selection: SelectionNode, depth: number, nesting: number): Size => {
    if (selection.kind === Kind.INLINE_FRAGMENT) return visited(measure(selection.selectionSet, depth, nesting));
    if (selection.kind === Kind.FRAGMENT_SPREAD) return visited(measureSpread(selection, depth, nesting));
    path.push((selection.alias ?? selection.name).value);
    checkDepth(depth + 1);
    const below = selection.selectionSet ? measure(selection.selectionSet, depth + 1, nesting) : NOTHING;
    path.pop();
    return { fields: below.fields + 1, depth: below.depth + 1, nesting: below.nesting };
  };

  const measureSpread = (spread: FragmentSpreadNode, depth: number, nesting: number): Size => {
    const fragment = fragments.get(spread.name.value);
    if (!fragment) return NOTHING;
    if (open.has(fragment)) throw spreadWithinItself(spread);
    return measureFragment(fragment, depth, nesting);
  };

  const measureFragment = (fragment: FragmentDefinitionNode, depth = 0, nesting = 0): Size => {
    let size = measured.get(fragment);
    if (!size) {
      open.add(fragment);
      size = measure(fragment.selectionSet, depth, nesting);
      open.delete(fragment);
      measured.set(fragment, size);
    }
    checkDepth(depth + size.depth);
    checkNesting(nesting + size.nesting);
    return size;
  };

  let fields = 0;
  for (const { selectionSet } of operations) fields += measure(selectionSet, 0, 0).fields;
  // Validation looks into those that no operation spreads, too.
  const unused = [...fragments.values()].filter((fragment) => !measured.has(fragment));
  for (const fragment of unused) fields += measureFragment(fragment).fields;
  if (fields > maxFields) {
    throw tooComplex(
      `The document selects ${readable(fields)} fields with its fragments written out, and may select ${readable(maxFields)} (QUERY_MAX_FIELDS).`,
      { limit: 'QUERY_MAX_FIELDS', maximum: maxFields, actual: fields },
    );
  }
  // Fewer fields make fewer pairs.
  if ((fields * (fields - 1)) / 2 > MAX_PAIRS) checkRepeats([...operations, ...unused].map(rootOf), fragments);
};

/** A fragment that is empty or missing counts as a field: every walk that follows visits it, and is bounded by the number of fields. */
const visited = (size: Size): Size => (size.fields > 0 ? size : { ...size, fields: 1 });

const spreadWithinItself = (spread: FragmentSpreadNode): GraphQLError =>
  new GraphQLError(`Cannot spread fragment "${spread.name.value}" within itself.`, {
    nodes: spread,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

/**
 * Validation compares selections that merge into one field pair by pair (https://spec.graphql.org/draft/#sec-Field-Selection-Merging), which takes
 * the square of their number.
 * @throws AppError QUERY_TOO_COMPLEX
 */
const checkRepeats = (roots: readonly (readonly Parent[])[], fragments: Fragments): void => {
  let pairs = 0;
  let most = { field: '', count: 0 };

  const visit = (parents: readonly Parent[], parentPath: string): void => {
    for (const [key, selections] of collectFields(parents, fragments)) {
      const field = parentPath + key;
      const count = selections.length;
      pairs += (count * (count - 1)) / 2;
      if (count > most.count) most = { field, count };
      if (pairs > MAX_PAIRS) {
        throw tooComplex(
          `The document selects the same fields so often that ${readable(pairs)} pairs or more would have to be compared, and may be ${readable(MAX_PAIRS)}. Most are "${most.field}".`,
          { limit: 'repeats', maximum: MAX_PAIRS, actual: pairs, field: most.field },
        );
      }
      visit(selections, `${field}.`);
    }
  };

  for (const root of roots) visit(root, '');
};

/** How much one operation may ask for, as the operator sets it. */
export type QueryLimits = Config['queryLimits'];

interface Excess {
  /** The limit as the operator or the README calls it. */
  readonly limit: string;
  readonly maximum: number;
  readonly actual: number;
  /** The path of the field that costs most. */
  readonly field?: string;
}

/** @param message a sentence with everything that `excess` tells programs */
export const tooComplex = (message: string, excess: Excess): AppError =>
  new AppError('QUERY_TOO_COMPLEX', message, { details: { ...excess } });

/** `1,234,567` */
export const readable = (count: number): string =>
  count < Number.MAX_SAFE_INTEGER ? count.toLocaleString('en-US') : 'more than 2^53';
