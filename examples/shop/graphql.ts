import { LANGUAGE, PREFIX, say } from './language.ts';
import type { TypedDocumentString } from './operations.ts';
import { accessToken, currentPreview } from './session.ts';

export const ENDPOINT = `${PREFIX}/graphql`;

/** Why a shop has no answer. */
export class ShopError extends Error {
  /** `extensions.code` of the first GraphQL error, or `UNREACHABLE`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Result<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** An operation that was run, for the drawer that shows it. */
export interface RunOperation {
  readonly name: string;
  readonly text: string;
  readonly variables: unknown;
  readonly durationMs: number;
  readonly status: number;
  /** The header `Cache-Status`: whether the gateway, or a cache before it, had the answer. */
  readonly cacheStatus: string | null;
}

/** Of the events on `document` that bring a {@link RunOperation}. */
export const OPERATION_EVENT = 'shop-operation';

/** The address of an operation, in the language of the page. By GET, so that the browser and any cache on the way may keep the answer for as long as the gateway says. */
export const operationUrl = (text: string, variables: unknown): string =>
  `${ENDPOINT}?${new URLSearchParams({ query: text, variables: JSON.stringify({ language: LANGUAGE, ...(variables as object) }) })}`;

/**
 * Runs an operation.
 * @throws ShopError
 */
export const query = async <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Data> => {
  const text = String(document);
  const startMs = performance.now();
  const response = await fetch(operationUrl(text, variables), { headers: requestHeaders(), signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      throw new ShopError('UNREACHABLE', say('The shop cannot be reached.'));
    },
  );
  const { data, errors }: Result<Data> = await response.json().catch(() => ({}));
  tell({
    name: /\bquery (\w+)/.exec(text)?.[1] ?? 'query',
    text,
    variables,
    durationMs: performance.now() - startMs,
    status: response.status,
    cacheStatus: response.headers.get('cache-status'),
  });
  const [first] = errors ?? [];
  if (first) throw new ShopError(first.extensions?.code ?? 'UNKNOWN', first.message);
  if (!data) throw new ShopError('UNKNOWN', say('The shop answered {status}.', { status: response.status }));
  return data;
};

const requestHeaders = (): Record<string, string> => {
  const preview = currentPreview();
  const at = preview?.at;
  const token = at ? preview.token : accessToken();
  return {
    accept: 'application/graphql-response+json',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(at ? { 'x-preview-at': at } : {}),
  };
};

const tell = (detail: RunOperation): void => {
  document.dispatchEvent(new CustomEvent(OPERATION_EVENT, { detail }));
};
