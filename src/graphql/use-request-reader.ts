import type { Plugin } from 'graphql-yoga';
import { splitTarget } from '../http/message.ts';
import type { ServerContext } from './request.ts';
import { negotiate, paramsOfBody, paramsOfQuery, readText } from './request-params.ts';

/**
 * Reads the parameters of a request as the contract says: POST and QUERY are JSON in UTF-8 only, a parameter is given once, and an empty `operationName` is none. The
 * bytes are those that the server has read; of a request that a plugin has put in the place of the client's, Yoga reads them.
 */
export const useRequestReader = (): Plugin<ServerContext, ServerContext> => ({
  onRequest: ({ request, serverContext: { state } }) => {
    state.request = request;
  },
  onRequestParse: ({ serverContext: { call, state }, setRequestParser }) => {
    const { method, body, headers } = call.request;
    state.contentType = negotiate(headers.accept);
    setRequestParser(async (given) => {
      // Yoga knows a QUERY as a GET, which has no body.
      if (method === 'QUERY') return paramsOfBody(readText(body as Buffer));
      if (given.method !== 'POST') return paramsOfQuery(splitTarget(given.url).query);
      return paramsOfBody(given === state.request ? readText(body as Buffer) : await given.text());
    });
  },
});
