import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type DefinitionNode, parse, separateOperations } from 'graphql';
import { startThread } from '../start-thread.ts';
import {
  type Addresses,
  type BundledPage,
  createBundledPage,
  htmlTemplate,
  LOGO,
  type PageSources,
  type Texts,
  toScriptJson,
} from './page.ts';

/**
 * GraphiQL: 9 MB of files, read and compressed at its first use.
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

/** What the operations of the demo shop are tried with: each gives a result with any catalogue. */
const VARIABLES: Readonly<Record<string, object>> = {
  MenuBranch: { id: 1 },
  Suggestions: { prefix: 'te', limit: 8 },
  Search: { search: 'tea', filter: { inStock: true }, page: 1 },
  Category: {
    id: 1,
    filter: {
      attributes: [{ name: 'Weight (g)', max: '600' }],
      options: [{ name: 'Colour', values: ['Navy', 'Sand', 'Oat'] }],
    },
    page: 1,
  },
  Product: { id: 1 },
  ProductChanges: { id: 1 },
  Viewed: { ids: [1, 2, 999_999] },
  Notices: { page: 1, type: 'ANNOUNCEMENT' },
  Notice: { id: 1 },
};

/** A tab of GraphiQL for each operation of the demo shop, with its fragments, and the comments that stand above both. */
export const readExamples = () => {
  const text = readFileSync(new URL('../../examples/shop/operations.graphql', import.meta.url), 'utf8');
  const withComment = ({ loc }: DefinitionNode): string =>
    loc ? text.slice(text.lastIndexOf('\n\n', loc.start) + 2, loc.end) : '';
  return Object.entries(separateOperations(parse(text))).map(([name, { definitions }]) => ({
    query: definitions.map(withComment).join('\n\n'),
    variables: VARIABLES[name] ? JSON.stringify(VARIABLES[name], null, 2) : '',
  }));
};

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
