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

/** A refusal, but for the id of its request. */
interface Refusal extends Pick<GatewayResponse, 'status'> {
  readonly body: string | Uint8Array;
  readonly lines: string;
}

const OF_ITS_ANSWER = ['cache-control', 'etag'];

export const createRecalledResponse = ({
  toResponse,
  cacheControl,
  codedBodies,
  withCommon,
  dependsOnOrigin,
}: Options): RecalledResponse => {
  /** The lines that are the same in every response of a kind. There are as many kinds as media types, with and without a coding. */
  const linesOf = new Map<string, string>();
  const refusals = new Map<string, Refusal>();

  /** @param varying headers, beside the id of the request, that differ from one response of the kind to the next */
  const write = (response: GatewayResponse, varying: readonly string[] = []): string => {
    const { headers } = withCommon({ method: 'GET', target: '', headers: {} }, '', response);
    const common = Object.entries(headers).filter(([name]) => name !== 'x-request-id' && !varying.includes(name));
    return writeLines(Object.fromEntries(common));
  };

  const writeOnce = (kind: string, like: () => GatewayResponse, varying?: readonly string[]): string => {
    const known = linesOf.get(kind);
    if (known !== undefined) return known;
    const lines = write(like(), varying);
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
      const lines = writeOnce(kind, () => toResponse(answer, 'hit', request, contentType), OF_ITS_ANSWER);
      const own = `etag: ${answer.etag}\r\ncache-control: ${cacheControl(answer, 'hit')}\r\n`;
      return new WrittenResponse(lines + linkLine(link) + own + idLine(requestId), coding ? coding.body : answer.body);
    },

    refused: (kind, request, requestId, like) => {
      if (isByOrigin(request.headers)) return withCommon(request, requestId, like());
      let refusal = refusals.get(kind);
      if (!refusal) {
        const response = like();
        refusal = { status: response.status, body: response.body ?? '', lines: write(response) };
        refusals.set(kind, refusal);
      }
      const { status, body, lines } = refusal;
      return new WrittenResponse(lines + idLine(requestId), body, status);
    },

    viewed: ({ kept: { contentType, link } }, request, requestId, body) => {
      const own = (): GatewayResponse => ownResponse(request, contentType, body, 'latin1');
      if (isByOrigin(request.headers)) return withCommon(request, requestId, withLink(link, own()));
      const door = request.target.startsWith('/graphql') ? 'graphql' : 'rest';
      const lines = writeOnce(`viewed ${door} ${contentType}`, own);
      return new WrittenResponse(lines + linkLine(link) + idLine(requestId), body);
    },
  };
};

const idLine = (requestId: string): string => `x-request-id: ${requestId}\r\n`;

const linkLine = (link: string | undefined): string => (link === undefined ? '' : `link: ${link}\r\n`);

export const withLink = (link: string | undefined, response: GatewayResponse): GatewayResponse => {
  if (link !== undefined) response.headers.link = link;
  return response;
};
