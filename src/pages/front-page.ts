import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { serveFile } from '../http/content-encodings.ts';
import { jsonResponse, namesType } from '../http/message.ts';
import type { ResponseRoute } from '../http/route.ts';
import { createBundledPage, htmlTemplate } from './page.ts';

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

interface Options {
  readonly freshnessMs: number;
  /** Whether a visitor may try a query. */
  readonly isOpen: boolean;
  readonly hasExplorer: boolean;
  readonly links: readonly FrontPageLink[];
}

/** The front page `/`: HTML for browsers, else JSON. */
export const createFrontPage = ({ freshnessMs, isOpen, hasExplorer, links }: Options): ResponseRoute['respond'] => {
  const { name, description } = packageJson;
  const hrefs = Object.fromEntries(links.map(({ name, href }) => [name, href]));
  const link = links
    .flatMap(({ href, relation }) => (relation === undefined ? [] : [`<${relative(href)}>; rel="${relation}"`]))
    .join(', ');
  const html = createBundledPage({
    // One file, its style and its script inside.
    render: () =>
      page({
        description,
        style: STYLE.text,
        bound: freshnessMs > 0 ? `within ${freshnessMs} ms` : 'at once',
        query: isOpen ? renderQuery(hasExplorer) : '',
        links: links.map(renderLink).join('\n          '),
        script: isOpen ? `<script>${QUERY_FORM.text}</script>` : '',
      }),
    sources: { 'style-src': STYLE.source, 'script-src': QUERY_FORM.source },
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
  `<li><a href="${relative(href)}"><strong>${title}</strong><span>${about}</span></a></li>`;

const renderQuery = (hasExplorer: boolean): string =>
  queryForm({ explorer: hasExplorer ? '<a id="explorer" href="./graphql">Open in GraphiQL</a>' : '' });
