import type { PageSources } from '../http/page-headers.ts';
import { type Example, examples } from './examples.ts';

/**
 * No inline script, no `eval`. Styles may be inline because Monaco, the editor in GraphiQL, creates `<style>` elements; its fonts and
 * icons are `data:` URLs in the stylesheet. Images of this host are for the preview over an `imageUrl` in an answer.
 */
export const pageSources: PageSources = {
  'script-src': "'self'",
  'worker-src': "'self'",
  'connect-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': 'data:',
};

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">' +
  '<rect width="32" height="32" rx="7" fill="#0f766e"/>' +
  '<path d="M8 10l8 13 8-13" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>' +
  '</svg>';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** JSON that cannot close the `<script>` it stands in. */
const toScriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const toTab = ({ about, query, variables }: Example) => ({
  query: `${about.map((line) => `# ${line}`.trimEnd()).join('\n')}\n\n${query}\n`,
  variables: variables === undefined ? '' : JSON.stringify(variables, null, 2),
});

/**
 * The page that opens GraphiQL.
 *
 * @param options.endpoint path that answers GraphQL
 * @param options.operations as `createGraphiql` takes them
 * @param options.base path of the folder with the files of the bundle, without a slash at the end
 * @param options.introspection false: GraphiQL does not ask for the schema, and says so where it would show it
 */
export const renderPage = (options: {
  readonly endpoint: string;
  readonly title: string;
  readonly introspection: boolean;
  readonly operations: Readonly<Record<string, string>>;
  readonly base: string;
}): string => {
  const { endpoint, title, introspection, operations, base } = options;
  const config = {
    // GraphiQL writes logo and title into the page as HTML.
    options: { endpoint, title: escapeHtml(title), logo, ...(introspection ? {} : { schema: null }) },
    examples: examples.map(toTab),
    operations,
    workers: {
      editorWorkerService: `${base}/editor.worker.js`,
      graphql: `${base}/graphql.worker.js`,
      json: `${base}/json.worker.js`,
    },
  };
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(logo)}">
    <link rel="stylesheet" href="${base}/graphiql.css">
    <script type="application/json" id="config">${toScriptJson(config)}</script>
    <script defer src="${base}/graphiql.js"></script>
    <script defer src="${base}/start.js"></script>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root">Loading…</div>
  </body>
</html>
`;
};
