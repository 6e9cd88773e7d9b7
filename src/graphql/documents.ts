import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  specifiedRules,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { stackless } from '../fast-path/stackless.ts';
import { checkSelections, readTokens } from './limits/document-size.ts';
import type { QueryLimits } from './limits/query-limits.ts';
import { type Operation, prepareOperation } from './operation.ts';
import { createValidation } from './validation.ts';

/**
 * Parses a text that is small enough to be parsed. What it selects may still be too large.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for a syntax error
 */
export const parseText = (limits: QueryLimits, source: Source): DocumentNode =>
  parse(source, { lexer: readTokens(source, limits) });

/** Parses a document that is small enough to go on with. @throws as {@link parseText} */
export const parseWithin = (limits: QueryLimits, source: Source): DocumentNode => {
  const document = parseText(limits, source);
  checkSelections(document, limits);
  return document;
};

/** A document, its validation errors, and its operations. */
interface CheckedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

/** The documents of clients: parsed, validated and prepared once for as long as their texts are in memory. */
export interface Documents {
  /**
   * @throws AppError QUERY_TOO_COMPLEX
   * @throws GraphQLError for a syntax error
   */
  readonly check: (text: string) => CheckedDocument;
  /** The operation of a valid document; undefined where the name selects none. */
  readonly prepare: (document: DocumentNode, name?: string | null) => Operation | undefined;
  /** The operation of a valid document that is in memory already. */
  readonly find: (text: string, name: string | null | undefined) => Operation | undefined;
}

interface Options {
  readonly schema: GraphQLSchema;
  readonly limits: QueryLimits;
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
}

/** Of texts: a document that is parsed, validated and compiled takes up to 160 bytes a character, half of that where others select the same (measured). */
const MAX_CHARS = 262_144;
const ENTRY_OVERHEAD_CHARS = 200;

/** Each further one takes a walk through the text to find its line. */
const MAX_VALIDATION_ERRORS = 10;

export const createDocuments = ({ schema, limits, introspection, fieldSuggestions }: Options): Documents => {
  // Of valid documents.
  const documents = new LRUCache<string, CheckedDocument>({
    maxSize: MAX_CHARS,
    sizeCalculation: (_, text) => text.length + ENTRY_OVERHEAD_CHARS,
  });
  const operations = new WeakMap<DocumentNode, Map<string, Operation>>();
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const hideSuggestions = !fieldSuggestions;
  const prepared = (document: DocumentNode, name: string | null | undefined): Operation | undefined =>
    operations.get(document)?.get(name ?? '');
  const validate = createValidation({ schema, rules, maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions });

  return {
    check: (text) => {
      const known = documents.get(text);
      if (known) return known;
      const checked = stackless(() => {
        const document = parseWithin(limits, new Source(text));
        return { document, errors: validate(document) };
      });
      // A faulty one would take the place of one in use: clients can make up any number, and what failed is in memory by its request.
      if (checked.errors.length === 0) documents.set(text, checked);
      return checked;
    },
    prepare: (document, name) => {
      const known = prepared(document, name);
      if (known) return known;
      const operation = prepareOperation(schema, document, name, hideSuggestions);
      // A name that selects nothing is not kept: clients could make up any number of them.
      if (operation) operations.set(document, (operations.get(document) ?? new Map()).set(name ?? '', operation));
      return operation;
    },
    find: (text, name) => {
      const known = documents.get(text);
      return known && prepared(known.document, name);
    },
  };
};
