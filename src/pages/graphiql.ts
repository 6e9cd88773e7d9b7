import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { PageSources } from '../http/response-headers.ts';
import { startThread } from '../start-thread.ts';
import variables from './graphiql-examples.json' with { type: 'json' };
import {
  type Addresses,
  type BundledPage,
  createBundledPage,
  htmlTemplate,
  LOGO,
  type Texts,
  toScriptJson,
} from './page.ts';

/**
 * GraphiQL: 9 MB of files. The process has 45 MB more after its first use: 13 MB are kept, the rest is what malloc does not give back.
 * @param introspection false: it does not load the schema, and says so
 */
export const createGraphiql = (introspection: boolean): BundledPage =>
  createBundledPage({
    assets: { path: '/graphiql', load: loadAssets },
    render: (addresses) => renderPage(addresses, introspection),
    sources: pageSources,
    // The same address serves GraphQL.
    headers: { vary: 'accept, accept-encoding' },
  });

const loadAssets = async (): Promise<Texts> => {
  const reader = startThread(new URL('./graphiql.worker.ts', import.meta.url));
  const [{ css, editorWorkerService, graphqlWorker, js, jsonWorker }] = await once(reader, 'message');
  return {
    // GraphiQL limits the dragging of a tab to the list of tabs. Its animation library then moves every tab when that list
    // is resized, and the first click on a tab misses it (github.com/motiondivision/motion/issues/3823, open). Without the
    // limit tabs stay, and can still be dragged. If a later version has other code, nothing is replaced, and the browser test fails.
    'graphiql.js': js.replace(/dragConstraints:[\w$]+,(?=value:)/, ''),
    'graphiql.css': css + (await readFile(new URL('./graphiql.css', import.meta.url), 'utf8')),
    'start.js': await readFile(new URL('./graphiql.browser.js', import.meta.url), 'utf8'),
    'editor.worker.js': editorWorkerService,
    'graphql.worker.js': graphqlWorker,
    'json.worker.js': jsonWorker,
  };
};

/**
 * No inline script, no `eval`. Styles may be inline because Monaco, the editor in GraphiQL, creates `<style>` elements; its fonts and
 * icons are `data:` URLs in the stylesheet. Images of this host are for the preview of an `imageUrl` in a result.
 */
const pageSources: PageSources = {
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': 'data:',
};

/** A tab of GraphiQL: an operation with a comment that says what it is for, and its variables in JSON. */
interface Tab {
  readonly query: string;
  readonly variables: string;
}

/** Typical operations of a storefront, in the order of the tabs. Each gives a result with any catalogue. */
export const readExamples = (): Tab[] =>
  readFileSync(new URL('./graphiql-examples.graphql', import.meta.url), 'utf8')
    .split(/(?<=^}\n)\n(?=#)/m)
    .map((query) => {
      const [, name = ''] = /^(?:query|subscription) (\w+)/m.exec(query) ?? [];
      const given: unknown = new Map(Object.entries(variables)).get(name);
      return { query, variables: given === undefined ? '' : JSON.stringify(given, null, 2) };
    });

const page = htmlTemplate('graphiql.html');

const renderPage = ({ root, base }: Addresses, introspection: boolean): string => {
  const config = {
    // GraphiQL inserts logo and title into the page as HTML.
    options: {
      endpoint: `${root}graphql`,
      title: 'Vitrine',
      logo: LOGO,
      ...(introspection ? {} : { schema: null }),
    },
    examples: readExamples(),
    workers: {
      editorWorkerService: `${base}/editor.worker.js`,
      graphql: `${base}/graphql.worker.js`,
      json: `${base}/json.worker.js`,
    },
  };
  return page({ base, config: toScriptJson(config) });
};
