import type { AnswerResponse, CacheControl } from './answer-response.ts';
import type { CodedBodies } from './coded-bodies.ts';
import type { GatewayRequest, GatewayResponse } from './message.ts';
import type { Recollected } from './recollection.ts';
import { ownResponse } from './responses.ts';
import { WrittenResponse, writeLines } from './written-response.ts';

type Head = Omit<GatewayRequest, 'body'>;

/** Adds the headers that every response has. */
export type WithCommon = (request: Head, requestId: string, response: GatewayResponse) => GatewayResponse;

/** Responses to requests whose answers are in memory: the same as others get, with next to nothing done for them. */
export interface RecalledResponse {
  readonly hit: (found: Recollected, request: Head, requestId: string) => GatewayResponse;
  /** @param body with its own numbers of views, one character for each byte */
  readonly viewed: (found: Recollected, request: Head, requestId: string, body: string) => GatewayResponse;
  /** A refusal, the same for all who get it. @param kind by which it is known again */
  readonly refused: (kind: string, request: Head, requestId: string, like: () => GatewayResponse) => GatewayResponse;
}

interface Options {
  readonly toResponse: AnswerResponse;
  readonly cacheControl: CacheControl;
  readonly codedBodies: CodedBodies;
  readonly withCommon: WithCommon;
  /** Whether headers depend on where the request comes from. */
  readonly dependsOnOrigin: boolean;
}

/** All others are the same in every response of a kind. */
const VARYING = ['cache-control', 'etag', 'link', 'x-request-id'];

export const createRecalledResponse = ({
  toResponse,
  cacheControl,
  codedBodies,
  withCommon,
  dependsOnOrigin,
}: Options): RecalledResponse => {
  /** The lines of what is the same, by kind. There are as many kinds as media types, with and without a coding. */
  const linesOf = new Map<string, string>();
  const refusals = new Map<string, Pick<GatewayResponse, 'status'> & { readonly body: string | Uint8Array }>();

  const write = (kind: string, requestId: string, like: () => GatewayResponse): string => {
    const known = linesOf.get(kind);
    if (known !== undefined) return known;
    const { headers } = withCommon({ method: 'GET', target: '', headers: {} }, requestId, like());
    const lines = writeLines(Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.includes(name))));
    linesOf.set(kind, lines);
    return lines;
  };

  const isByOrigin = ({ origin }: Head['headers']): boolean => dependsOnOrigin && origin !== undefined;

  return {
    hit: ({ answer, kept }, request, requestId) => {
      const { contentType, link } = kept;
      const { method, headers } = request;
      // Conditions, and what depends on the origin, are left to those who know of them.
      if (method === 'HEAD' || headers['if-none-match'] !== undefined || isByOrigin(headers)) {
        return withCommon(request, requestId, withLink(link, toResponse(answer, 'hit', request, contentType)));
      }
      const coding = codedBodies(answer, headers['accept-encoding']);
      const kind = coding ? `${contentType} ${coding.name}` : contentType;
      const common = write(kind, requestId, () => toResponse(answer, 'hit', request, contentType));
      const own = `etag: ${answer.etag}\r\ncache-control: ${cacheControl(answer, 'hit')}\r\nx-request-id: ${requestId}\r\n`;
      return new WrittenResponse(common + linkLine(link) + own, coding ? coding.body : answer.body);
    },

    refused: (kind, request, requestId, like) => {
      const { status, body } = refusals.get(kind) ?? like();
      if (body === null || isByOrigin(request.headers)) return withCommon(request, requestId, like());
      if (!refusals.has(kind)) refusals.set(kind, { status, body });
      const lines = `${write(`refused ${kind}`, requestId, like)}cache-control: no-store\r\nx-request-id: ${requestId}\r\n`;
      return new WrittenResponse(lines, body, status);
    },

    viewed: ({ kept: { contentType, link } }, request, requestId, body) => {
      const own = (): GatewayResponse => ownResponse(request, contentType, body, 'latin1');
      if (isByOrigin(request.headers)) return withCommon(request, requestId, withLink(link, own()));
      const door = request.target.startsWith('/graphql') ? 'graphql' : 'rest';
      const common = write(`viewed ${door} ${contentType}`, requestId, own);
      const lines = `${common}${linkLine(link)}cache-control: no-store\r\nx-request-id: ${requestId}\r\n`;
      return new WrittenResponse(lines, body);
    },
  };
};

const linkLine = (link: string | undefined): string => (link === undefined ? '' : `link: ${link}\r\n`);

export const withLink = (link: string | undefined, response: GatewayResponse): GatewayResponse => {
  if (link !== undefined) response.headers.link = link;
  return response;
};
