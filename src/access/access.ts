import { createHash, timingSafeEqual } from 'node:crypto';
import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql';
import { AppError } from '../errors.ts';
import type { GatewayRequest } from '../http/message.ts';

export interface Access {
  /** True where no tokens are configured or the request carries one of them. */
  readonly isGranted: (request: GatewayRequest) => boolean;
  /** @throws AppError UNAUTHENTICATED where the operation selects anything that is not public to a request without a token */
  readonly check: (isGranted: boolean, document: DocumentNode, operationName?: string | null) => void;
}

/** The document of the service calls notice detail public; `__typename` tells nothing. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set(['notice', '__typename']);

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** @param tokens empty where everything is public */
export const createAccess = (tokens: readonly string[]): Access => {
  const digests = tokens.map(digest);
  // Every token is compared, in constant time, so that the time taken tells nothing about any of them.
  const isKnown = (token: string): boolean => {
    const candidate = digest(token);
    return digests.map((known) => timingSafeEqual(known, candidate)).includes(true);
  };

  return {
    isGranted: ({ headers }) => {
      if (digests.length === 0) return true;
      const token = /^Bearer +([^ ]+) *$/i.exec(headers.authorization ?? '')?.[1];
      return token !== undefined && isKnown(token);
    },
    check: (isGranted, document, operationName) => {
      if (isGranted || [...rootFieldNames(document, operationName)].every((name) => PUBLIC_FIELDS.has(name))) return;
      throw new AppError('UNAUTHENTICATED', 'This operation needs an access token: Authorization: Bearer <token>.', {
        headers: { 'www-authenticate': 'Bearer realm="vitrine"' },
      });
    },
  };
};

/** The names of every field that an operation selects on the query root, however it is spread over fragments. */
const rootFieldNames = (document: DocumentNode, operationName?: string | null): Set<string> => {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  const names = new Set<string>();
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  const operation = getOperationAST(document, operationName);
  if (operation) collect(operation.selectionSet);
  return names;
};
