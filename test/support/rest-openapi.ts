import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { TestGateway } from './gateway.ts';

type Json = Readonly<Record<string, unknown>>;

interface OpenapiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Json & { readonly minimum?: number; readonly maximum?: number; readonly enum?: readonly string[] };
}

interface OpenapiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly OpenapiParameter[];
  readonly responses: Readonly<Record<string, Json>> & {
    readonly 200: {
      readonly content: { readonly 'application/json': { readonly schema: Json } };
    };
  };
}

export interface Openapi {
  readonly info: Json;
  readonly tags: readonly Json[];
  readonly paths: Readonly<Record<string, { readonly get: OpenapiOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
  };
}

export const readOpenapi = async (gateway: TestGateway): Promise<Openapi> =>
  (await gateway.get('/openapi.json')).json as Openapi;

/** What an independent linter finds wrong, its warnings included. */
export const lintOpenapi = async (document: object): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
};

/**
 * What the linter finds wrong with answers, each held against the schema that the document gives for its path; a key that the schema does
 * not know is wrong too.
 */
export const lintAnswers = (document: Openapi, answers: Readonly<Record<string, unknown>>): Promise<string[]> => {
  const copy = structuredClone(document);
  for (const [path, example] of Object.entries(answers)) {
    Object.assign(copy.paths[path]?.get.responses[200].content['application/json'] ?? {}, { example });
  }
  return lintOpenapi(copy);
};
