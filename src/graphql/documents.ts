import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  type Source,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkShape } from './limits/document-shape.ts';
import { checkText, MAX_VALIDATION_ERRORS, type QueryLimits } from './limits/query-limits.ts';

/**
 * Parses a document that is small enough to go on with.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for a syntax error
 */
export const parseWithin = (limits: QueryLimits, source: string | Source): DocumentNode => {
  checkText(typeof source === 'string' ? source : source.body, limits);
  const document = parse(source);
  checkShape(document, limits);
  return document;
};

/** A document and what validation finds wrong with it. */
export interface CheckedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

/** The documents of clients, parsed and validated once for as long as their texts are remembered. */
export interface Documents {
  /**
   * @throws AppError QUERY_TOO_COMPLEX
   * @throws GraphQLError for a syntax error
   */
  readonly check: (text: string) => CheckedDocument;
  /** The document of a text that is remembered. */
  readonly peek: (text: string) => DocumentNode | undefined;
}

interface Options {
  readonly schema: GraphQLSchema;
  readonly limits: QueryLimits;
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
}

/** Of texts; a document that is parsed, validated and compiled takes up to 160 bytes a character (measured). */
const MAX_CHARS = 262_144;
const ENTRY_OVERHEAD_CHARS = 200;

/** Documents are measured before they are parsed and validated, and validation stops after a few errors. */
export const createDocuments = ({ schema, limits, introspection, fieldSuggestions }: Options): Documents => {
  // Bounded by what the documents take and not only by their number. Texts that do not parse are not kept.
  const known = new LRUCache<string, CheckedDocument>({
    maxSize: MAX_CHARS,
    sizeCalculation: (_, text) => text.length + ENTRY_OVERHEAD_CHARS,
  });
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const options = { maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions: !fieldSuggestions };

  return {
    check: (text) => {
      const before = known.get(text);
      if (before) return before;
      const document = parseWithin(limits, text);
      const checked: CheckedDocument = { document, errors: validate(schema, document, rules, options) };
      known.set(text, checked);
      return checked;
    },
    peek: (text) => known.peek(text)?.document,
  };
};
