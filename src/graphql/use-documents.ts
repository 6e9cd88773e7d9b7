import {
  type DocumentNode,
  type ExecutionArgs,
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
import { BoundedLexer, checkSelections } from './limits/document-size.ts';
import { type Operation, prepareOperation } from './operation.ts';
import type { GatewayPlugin, RestDocument } from './server-context.ts';

/** Parses and validates documents within the limits of their size. Rules that other plugins add are heeded. */
export const useDocuments = (documents: Documents): GatewayPlugin => ({
  onParse: ({ context: { rest }, params: { source }, setParsedDocument, setParseFn }) => {
    const text = typeof source === 'string' ? source : source.body;
    const known = documents.find(text, rest);
    if (known) setParsedDocument(known);
    // The document of a REST path was checked when it was read.
    else setParseFn(() => (rest ? parse(rest.source) : documents.parse(text)));
  },
  onValidate: ({ params, addValidationRule, setValidationFn }) => {
    for (const rule of documents.rules.slice(params.rules?.length ?? 0)) addValidationRule(rule);
    setValidationFn((schema, document, rules = documents.rules) => documents.validate(schema, document, rules));
  },
});

/**
 * Parses a text that is small enough to be parsed. Its selections may still be too large.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError for a syntax error
 */
export const parseText = (source: Source): DocumentNode => parse(source, { lexer: new BoundedLexer(source) });

interface Options {
  readonly schema: GraphQLSchema;
  readonly introspection: boolean;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
  /** Whether a document that was parsed for one caller serves others, and whether it is valid, too. */
  readonly areShared: boolean;
}

/** The most characters of all remembered texts: a document that is parsed, validated and compiled takes up to 160 bytes a character (measured). */
const MAX_CHARS = 262_144;
const ENTRY_OVERHEAD_CHARS = 200;

/** Each further one takes a walk through the text to find its line. */
const MAX_VALIDATION_ERRORS = 10;

/** The documents of clients. Where they are shared they are parsed, validated and prepared once for as long as their texts are in memory. */
export class Documents {
  readonly rules: readonly ValidationRule[];
  readonly #options: Options;
  readonly #valid = new LRUCache<string, DocumentNode>({
    maxSize: MAX_CHARS,
    sizeCalculation: (_, text) => text.length + ENTRY_OVERHEAD_CHARS,
  });
  /** The texts of documents that are as they were parsed. */
  readonly #texts = new WeakMap<DocumentNode, string>();
  /** Those that have no errors, of REST paths too. */
  readonly #checked = new WeakSet<DocumentNode>();
  readonly #operations = new WeakMap<DocumentNode, Map<string, Operation>>();

  constructor(options: Options) {
    this.#options = options;
    this.rules = options.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  }

  /** A valid document that is in memory, or that of a REST path. */
  find(text: string, rest?: RestDocument): DocumentNode | undefined {
    if (!this.#options.areShared) return undefined;
    return rest ? rest.document : this.#valid.get(text);
  }

  /** Parses a document that is small enough to go on with. @throws as {@link parseText} */
  parse(text: string): DocumentNode {
    const document = parseText(new Source(text));
    checkSelections(document);
    if (this.#options.areShared) this.#texts.set(document, text);
    return document;
  }

  /** @param rules {@link Documents.rules}, and perhaps more behind them */
  validate(schema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]): readonly GraphQLError[] {
    const { areShared, fieldSuggestions } = this.#options;
    // Nothing distinguishes the rules that a plugin adds, and it may not add them for everybody.
    const isRemembered = areShared && rules.length === this.rules.length && schema === this.#options.schema;
    if (isRemembered && this.#checked.has(document)) return [];
    const options = { maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions: !fieldSuggestions };
    const errors = validate(schema, document, rules, options);
    // A faulty one would take the place of one in use: clients can make up any number.
    if (isRemembered && errors.length === 0) {
      this.#checked.add(document);
      const text = this.#texts.get(document);
      if (text !== undefined) this.#valid.set(text, document);
    }
    return errors;
  }

  /** Parses and validates a text as if a client had sent it. */
  check(text: string): { document: DocumentNode; errors: readonly GraphQLError[] } {
    const document = this.#valid.get(text) ?? this.parse(text);
    return { document, errors: this.validate(this.#options.schema, document, this.rules) };
  }

  /** The operation of a valid document; undefined where the name selects none. @param schema by default that of the gateway */
  prepare(args: Pick<ExecutionArgs, 'document'> & Partial<ExecutionArgs>): Operation | undefined {
    const { document, operationName, schema = this.#options.schema } = args;
    const name = operationName ?? '';
    const known = this.#operations.get(document)?.get(name);
    if (known) return known;
    const hideSuggestions = !this.#options.fieldSuggestions;
    const operation = prepareOperation(schema, document, operationName, hideSuggestions);
    // A name that selects nothing is not kept: clients could make up any number of them.
    if (operation) {
      this.#operations.set(document, (this.#operations.get(document) ?? new Map()).set(name, operation));
    }
    return operation;
  }
}
