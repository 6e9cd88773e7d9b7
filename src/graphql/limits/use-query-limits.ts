import { type Source, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { parseWithin } from './parse-within.ts';
import { MAX_VALIDATION_ERRORS, type QueryLimits } from './query-limits.ts';

interface Options {
  readonly limits: QueryLimits;
  /** Whether errors say "did you mean …". */
  readonly fieldSuggestions: boolean;
}

/** Documents are measured before they are parsed and validated, and validation stops after a few errors. */
export const useQueryLimits = ({ limits, fieldSuggestions }: Options): Plugin => {
  const parse = (source: string | Source) => parseWithin(limits, source);
  const validation = { maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions: !fieldSuggestions };
  const validateWithin: typeof validate = (schema, document, rules, options) =>
    validate(schema, document, rules, { ...options, ...validation });
  return {
    onParse: ({ setParseFn }) => setParseFn(parse),
    onValidate: ({ setValidationFn }) => setValidationFn(validateWithin),
  };
};
