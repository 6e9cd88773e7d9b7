import type { Exposure } from '../access/gate.ts';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { FrontPage } from '../front-page/front-page.ts';
import type { GatewayRequest, GatewayResponse } from '../http/message.ts';
import { type StaticFile, serveFile } from '../http/static-file.ts';
import type { BundledPage } from './bundled-page.ts';

/** A page, or what it loads. */
interface Page {
  readonly exposure: Exposure;
  readonly respond: (request: GatewayRequest) => GatewayResponse | Promise<GatewayResponse>;
}

export interface Pages {
  /** What is at a path; undefined where it is no page. */
  readonly find: (path: string) => Page | undefined;
  /** At the address of the GraphQL endpoint. */
  readonly graphiql: Page;
}

interface Deps {
  readonly exposure: Config['exposure'];
  readonly frontPage: FrontPage;
  readonly graphiql: BundledPage;
  readonly openapi: StaticFile;
  readonly docs: BundledPage;
  readonly demo: BundledPage;
}

export const createPages = ({ exposure, frontPage, graphiql, openapi, docs, demo }: Deps): Pages => {
  const fileAt = (exposed: Exposure, file: () => Promise<StaticFile | undefined>): Page => ({
    exposure: exposed,
    respond: async (request) => {
      const found = await file();
      if (!found) throw new AppError('NOT_FOUND', 'There is nothing at this path.');
      return serveFile(request, found);
    },
  });

  const single: Readonly<Record<string, Page>> = {
    '/': { exposure: 'on', respond: frontPage },
    '/openapi.json': { exposure: exposure.docs, respond: (request) => serveFile(request, openapi) },
    '/docs': fileAt(exposure.docs, docs.page),
    '/demo': fileAt(exposure.demo, demo.page),
  };

  return {
    graphiql: fileAt(exposure.graphiql, graphiql.page),
    find: (path) => {
      if (Object.hasOwn(single, path)) return single[path];
      if (path.startsWith('/docs/')) return fileAt(exposure.docs, () => docs.asset(path));
      if (path.startsWith('/graphiql/')) return fileAt(exposure.graphiql, () => graphiql.asset(path));
      // Its script shows what an address means.
      if (path.startsWith('/demo/')) return fileAt(exposure.demo, async () => (await demo.asset(path)) ?? demo.page());
      return undefined;
    },
  };
};
