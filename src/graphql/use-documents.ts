import type { Plugin } from 'graphql-yoga';
import type { Documents } from './documents.ts';
import type { ServerContext } from './request.ts';

/** Parses and validates each document once, within the limits of its size. Rules that other plugins add are heeded. */
export const useDocuments = ({ find, parse, validate, rules }: Documents): Plugin<ServerContext, ServerContext> => ({
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
