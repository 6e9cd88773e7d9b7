import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { serveFile } from '../http/content-encodings.ts';
import { jsonResponse, namesType } from '../http/message.ts';
import type { ResponseRoute } from '../http/route.ts';
import { createBundledPage, escapeHtml, htmlTemplate } from './page.ts';

/** A link of the front page. */
export interface FrontPageLink {
  /** Name in JSON, and relation of the `Link` header if it is a registered one. */
  readonly name: string;
  readonly href: string;
  readonly title: string;
  readonly about: string;
  /** https://www.rfc-editor.org/rfc/rfc8631 */
  readonly relation?: string;
}

export interface FrontPageOptions {
  readonly freshnessMs: number;
  /** Where a visitor may try a query. Undefined where a browser could not run any: it has no access token, or only trusted documents are run. */
  readonly query: { readonly endpoint: string; readonly explorer: string | undefined } | undefined;
}

/** The front page `/`: HTML for browsers, else JSON. */
export const createFrontPage = (
  { freshnessMs, query }: FrontPageOptions,
  links: readonly FrontPageLink[],
): ResponseRoute['respond'] => {
  const { name, description } = packageJson;
  const hrefs = Object.fromEntries(links.map(({ name, href }) => [name, href]));
  const link = links
    .flatMap(({ href, relation }) => (relation === undefined ? [] : [`<${relative(href)}>; rel="${relation}"`]))
    .join(', ');
  const html = createBundledPage({
    // One file, its style and its script inside.
    render: () =>
      page({
        description: escapeHtml(description),
        style: STYLE.text,
        bound: freshnessMs > 0 ? `within ${freshnessMs} ms` : 'at once',
        query: query ? renderQuery(query) : '',
        links: links.map(renderLink).join('\n          '),
        script: query ? `<script>${QUERY_FORM.text}</script>` : '',
      }),
    sources: {
      'style-src': STYLE.source,
      'script-src': QUERY_FORM.source,
      'connect-src': "'self'",
      'img-src': 'data:',
    },
    headers: { vary: 'accept, accept-encoding', link },
  });
  return async ({ request }) =>
    namesType(request.headers.accept, 'text/html')
      ? serveFile(request, await html.page())
      : jsonResponse(200, { name, description, links: hrefs }, { vary: 'accept', link });
};

/** Of the browser, as files: they are checked as what they are, and the policy of the page names their hashes. */
const inlined = (file: URL) => {
  const text = readFileSync(file, 'utf8');
  return { text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
};

const STYLE = inlined(new URL('./front-page.css', import.meta.url));
const QUERY_FORM = inlined(new URL('./front-page-query.browser.js', import.meta.url));

/** A proxy may strip a prefix, so that the front page is not at the root for a browser. */
const relative = (path: string): string => `.${path}`;

const page = htmlTemplate('front-page.html');
const queryForm = htmlTemplate('front-page-query.html');

const renderLink = ({ href, title, about }: FrontPageLink): string =>
  `<li><a href="${relative(href)}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about)}</span></a></li>`;

const renderQuery = ({ endpoint, explorer }: NonNullable<FrontPageOptions['query']>): string =>
  queryForm({
    endpoint: relative(endpoint),
    explorer: explorer ? `<a id="explorer" href="${relative(explorer)}">Open in GraphiQL</a>` : '',
  });
