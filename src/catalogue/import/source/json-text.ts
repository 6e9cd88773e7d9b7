import type { Value } from '../value.ts';

/** Reads JSON with each number as the text that stands there. @throws SyntaxError */
export const parseJson = (text: string): Value => JSON.parse(text, keepDigits);

// Source text access: https://tc39.es/proposal-json-parse-with-source/
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value;

export const isObject = (value: Value | undefined): value is { readonly [key: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the engine says is wrong, without the text that it quotes, which can be long. */
export const syntaxReason = (error: unknown): string =>
  `is not valid JSON: ${error instanceof Error ? error.message.replace(/, ?(?:\.\.\.)?".*" is not valid JSON$/s, '') : error}`;
