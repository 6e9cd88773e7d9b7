import { NoSchemaIntrospectionCustomRule, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Access } from '../access/access.ts';
import type { Caller, OperationContext } from './context.ts';
import { createMaskError } from './mask-error.ts';

type EnginePlugin = Plugin<OperationContext, Caller>;

/** Refuses an operation whole when it selects anything that its caller may not read. */
export const useAccess = (access: Access): EnginePlugin => ({
  onExecute: ({ args: { document, operationName, contextValue } }) => {
    access.check(contextValue.isGranted, document, operationName);
  },
});

/** Masks the errors of a result, logging the unexpected ones under the request's id. */
export const useMaskedResult = (): EnginePlugin => ({
  onExecute: ({ args: { contextValue } }) => ({
    onExecuteDone: ({ result, setResult }) => {
      if (!('errors' in result) || !result.errors) return;
      setResult({ ...result, errors: result.errors.map(createMaskError(contextValue.log)) });
    },
  }),
});

export const useNoIntrospection = (): EnginePlugin => ({
  onValidate: ({ addValidationRule }) => addValidationRule(NoSchemaIntrospectionCustomRule),
});

export const useNoSuggestions = (): EnginePlugin => ({
  onValidate: ({ setValidationFn }) => {
    setValidationFn((schema, document, rules, options) =>
      validate(schema, document, rules, { ...options, hideSuggestions: true }),
    );
  },
  onExecute: ({ args }) => {
    Object.assign(args, { hideSuggestions: true });
  },
});
