import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLError,
  Kind,
  Lexer,
  type SelectionSetNode,
  type Source,
  type Token,
  TokenKind,
} from 'graphql';
import { AppError } from '../../errors.ts';
import { fragmentsOf } from '../selection.ts';

/** Names, values and punctuation. */
const MAX_TOKENS = 2000;

/** 16 for each token: reading takes time for each character, comments and blanks included, and so does finding the line of an error. */
export const MAX_DOCUMENT_CHARS = 32_000;

/** Levels of fields, fragments written out. GraphiQL itself needs 15. */
const MAX_DEPTH = 20;

/** Each level of fields may be wrapped once more: in an inline fragment, or in arguments. */
const MAX_NESTING = 2 * MAX_DEPTH;

/** With aliases, repetitions and fragments written out. */
const MAX_FIELDS = 1000;

/** Validation compares fragments pair by pair. */
const MAX_FRAGMENTS = 50;

/** Of selections that merge into one field: a field that is repeated a hundred times makes 4,950. */
const MAX_PAIRS = 5000;

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Gives the parser no more tokens than there may be, nor deeper ones: parser and validator recurse as deep as the text nests, and could overflow
 * the stack.
 */
export class BoundedLexer extends Lexer {
  #tokens = 0;
  #open = 0;

  /** @throws AppError QUERY_TOO_COMPLEX, and so does `advance` */
  constructor(source: Source) {
    super(source);
    const characters = { limit: 'characters', actual: source.body.length, maximum: MAX_DOCUMENT_CHARS };
    refuseExcess('characters in the document', characters);
  }

  override advance(): Token {
    const token = super.advance();
    if (token.kind !== TokenKind.EOF) this.#tokens += 1;
    refuseExcess('tokens in the document', { limit: 'tokens', actual: this.#tokens, maximum: MAX_TOKENS });
    if (OPENING.has(token.kind)) this.#open += 1;
    else if (CLOSING.has(token.kind)) this.#open -= 1;
    const levels = { limit: 'nesting', actual: this.#open, maximum: MAX_NESTING };
    refuseExcess('levels of braces, brackets and parentheses', levels);
    return token;
  }
}

/**
 * Checks what a parsed document selects before it is validated. Validation and all later steps take time that grows with the fragments written
 * out: a few hundred characters of fragments that spread each other twice may select 2^50 fields. This walk ends at the first field too many.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError as validation would, for a fragment within itself; other faults are left to validation
 */
export const checkSelections = (document: DocumentNode): void => {
  const fragments = fragmentsOf(document);
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const count = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  refuseExcess('fragments', { limit: 'fragments', actual: count, maximum: MAX_FRAGMENTS });

  const unused = new Set(fragments.values());
  /** The fragments around a selection. */
  const open = new Set<FragmentDefinitionNode>();
  const path: string[] = [];
  /** The selections of each path of one operation or fragment. */
  const repeated = new Map<string, Set<FieldNode>>();
  let fields = 0;
  let pairs = 0;

  /** @param nesting selection sets within selection sets, those of fragments included */
  const walk = ({ selections }: SelectionSetNode, nesting = 1): void => {
    refuseExcess('levels of selections and fragments', { limit: 'nesting', actual: nesting, maximum: MAX_NESTING });
    for (const selection of selections) {
      const before = fields;
      if (selection.kind === Kind.FIELD) walkField(selection, nesting);
      else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet, nesting + 1);
      else walkSpread(selection, nesting);
      // A fragment that is empty or missing counts as a field: every walk that follows visits it, and is bounded by the number of fields.
      if (fields === before) countField();
    }
  };

  const walkField = (node: FieldNode, nesting: number): void => {
    path.push((node.alias ?? node.name).value);
    const field = path.join('.');
    refuseExcess('levels of fields', { limit: 'depth', actual: path.length, maximum: MAX_DEPTH, field });
    countField();
    countPairs(field, node);
    if (node.selectionSet) walk(node.selectionSet, nesting + 1);
    path.pop();
  };

  /**
   * Validation compares selections that merge into one field pair by pair (https://spec.graphql.org/draft/#sec-Field-Selection-Merging), which
   * takes the square of their number.
   */
  const countPairs = (field: string, node: FieldNode): void => {
    const same = repeated.get(field) ?? new Set();
    if (!same.has(node)) pairs += same.size;
    repeated.set(field, same.add(node));
    refuseExcess('pairs of equal fields to compare', { limit: 'repeats', actual: pairs, maximum: MAX_PAIRS, field });
  };

  const walkSpread = (spread: FragmentSpreadNode, nesting: number): void => {
    const fragment = fragments.get(spread.name.value);
    if (!fragment) return;
    if (open.has(fragment)) throw spreadWithinItself(spread);
    unused.delete(fragment);
    open.add(fragment);
    walk(fragment.selectionSet, nesting + 1);
    open.delete(fragment);
  };

  const countField = (): void => {
    fields += 1;
    refuseExcess('fields, with fragments written out', { limit: 'fields', actual: fields, maximum: MAX_FIELDS });
  };

  for (const { selectionSet } of operations) {
    repeated.clear();
    walk(selectionSet);
  }
  // Validation looks into those that no operation spreads, too.
  for (const { selectionSet } of [...unused]) {
    repeated.clear();
    walk(selectionSet);
  }
};

const spreadWithinItself = (spread: FragmentSpreadNode): GraphQLError =>
  new GraphQLError(`Cannot spread fragment "${spread.name.value}" within itself.`, {
    nodes: spread,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

interface Measured {
  /** The variable that sets the maximum, or what it is a limit of. */
  readonly limit: string;
  readonly actual: number;
  readonly maximum: number;
  /** The path of the field that has most of it. */
  readonly field?: string | undefined;
}

/** @param what there is too much of @throws AppError QUERY_TOO_COMPLEX, which tells programs what was measured */
export const refuseExcess = (what: string, { limit, actual, maximum, field }: Measured): void => {
  if (actual <= maximum) return;
  const where = field === undefined ? '' : ` Look at "${field}".`;
  throw new AppError(
    'QUERY_TOO_COMPLEX',
    `Too many ${what}: ${readable(actual)}, and there may be ${readable(maximum)} (${limit}).${where}`,
    { details: { limit, maximum, actual, ...(field !== undefined && { field }) } },
  );
};

/** `1,234,567` */
const readable = (count: number): string =>
  count < Number.MAX_SAFE_INTEGER ? count.toLocaleString('en-US') : 'more than 2^53';
