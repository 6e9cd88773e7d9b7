import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  Source,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayPlugin } from './context.ts';
import { checkSelections, type QueryLimits, readTokens } from './limits/document-size.ts';
import { type Operation, prepareOperation } from './operation.ts';

/** Parses and validates each document once, within the limits of its size. Rules that other plugins add are heeded. */
export const useDocuments = ({ find, parse, validate, rules }: Documents): GatewayPlugin => ({
  onParse: ({ context, params: { source }, setParsedDocument, setParseFn }) => {
    const text = typeof source === 'string' ? source : source.body;
    const known = context.state.document ?? find(text);
    if (known) setParsedDocument(known);
    else setParseFn(() => parse(text));
  },
  onValidate: ({ params, addValidationRule, setValidationFn }) => {
    for (const rule of rules.slice(params.rules?.length ?? 0)) addValidationRule(rule);
    setValidationFn((_, document, given) => validate(document, given ?? rules));
  },
});

/**
 * Parses a text that is small enough to be parsed. What it selects may still be too large.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for a syntax error
 */
export const parseText = (limits: QueryLimits, source: Source): DocumentNode =>
  parse(source, { lexer: readTokens(source, limits) });

export type Documents = ReturnType<typeof createDocuments>;

interface Options {
  readonly schema: GraphQLSchema;
  readonly limits: QueryLimits;
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
}

/** Of texts: a document that is parsed, validated and compiled takes up to 160 bytes a character (measured). */
const MAX_CHARS = 262_144;
const ENTRY_OVERHEAD_CHARS = 200;

/** Each further one takes a walk through the text to find its line. */
const MAX_VALIDATION_ERRORS = 10;

/** The documents of clients: parsed, validated and prepared once for as long as their texts are in memory. */
export const createDocuments = ({ schema, limits, introspection, fieldSuggestions }: Options) => {
  const valid = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CHARS,
    sizeCalculation: (_, text) => text.length + ENTRY_OVERHEAD_CHARS,
  });
  const validated = new WeakMap<DocumentNode, Map<string, readonly GraphQLError[]>>();
  const operations = new WeakMap<DocumentNode, Map<string, Operation>>();
  const rules: readonly ValidationRule[] = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const hideSuggestions = !fieldSuggestions;

  /** Parses a document that is small enough to go on with. @throws as {@link parseText} */
  const parseDocument = (text: string): DocumentNode => {
    const document = parseText(limits, new Source(text));
    checkSelections(document, limits);
    return document;
  };

  /** The errors of a document, remembered with it. @param given {@link rules}, and perhaps more behind them */
  const validateDocument = (document: DocumentNode, given: readonly ValidationRule[]): readonly GraphQLError[] => {
    const added = given.slice(rules.length).map(({ name }) => name);
    const key = added.join();
    const known = validated.get(document) ?? new Map<string, readonly GraphQLError[]>();
    let errors = known.get(key);
    if (!errors) {
      errors = validate(schema, document, given, { maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions });
      validated.set(document, known.set(key, errors));
    }
    // A faulty one would take the place of one in use: clients can make up any number.
    const text = document.loc?.source.body;
    if (errors.length === 0 && text !== undefined && valid.get(text) !== document) valid.set(text, document);
    return errors;
  };

  return {
    /** A valid document that is in memory. */
    find: (text: string): DocumentNode | undefined => valid.get(text),
    parse: parseDocument,
    validate: validateDocument,
    rules,
    check: (text: string): { document: DocumentNode; errors: readonly GraphQLError[] } => {
      const document = valid.get(text) ?? parseDocument(text);
      return { document, errors: validateDocument(document, rules) };
    },
    /** The operation of a valid document; undefined where the name selects none. */
    prepare: (document: DocumentNode, name?: string | null): Operation | undefined => {
      const known = operations.get(document)?.get(name ?? '');
      if (known) return known;
      const operation = prepareOperation(schema, document, name, hideSuggestions);
      // A name that selects nothing is not kept: clients could make up any number of them.
      if (operation) operations.set(document, (operations.get(document) ?? new Map()).set(name ?? '', operation));
      return operation;
    },
  };
};
