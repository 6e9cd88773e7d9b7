import type { TypedDocumentString } from './operations.ts';
import { accessToken } from './session.ts';

const ENDPOINT = '/graphql';

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

/**
 * Runs an operation. By GET, so that the browser and any cache on the way may keep the answer for as long as the gateway says.
 * @throws ShopError
 */
export const query = async <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
): Promise<Data> => {
  const search = new URLSearchParams({ query: String(document), variables: JSON.stringify(variables) });
  const token = accessToken();
  const headers = {
    accept: 'application/graphql-response+json',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const response = await fetch(`${ENDPOINT}?${search}`, { headers, signal }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new ShopError('UNREACHABLE', 'The shop cannot be reached.');
  });
  const { data, errors }: Result<Data> = await response.json().catch(() => ({}));
  const [first] = errors ?? [];
  if (first) throw new ShopError(first.extensions?.code ?? 'UNKNOWN', first.message);
  if (!data) throw new ShopError('UNKNOWN', `The shop answered ${response.status}.`);
  return data;
};
