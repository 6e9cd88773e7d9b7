import { createHash } from 'node:crypto';
import type { PageSources } from '../http/response-headers.ts';
import type { Count, FrontPageLink, Numbers } from './front-page.ts';
import { escapeHtml, ICON_URL, LOGO } from './page.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2b2a, #e4efed); --soft: light-dark(#55706d, #9db8b4);
  --accent: light-dark(#0f766e, #5eead4); --line: light-dark(#d5e2e0, #2c4340); --card: light-dark(#fff, #16211f); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#f4f8f7, #0d1514); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1.25rem 3rem; }
h1 { display: flex; gap: .75rem; align-items: center; margin: 0; font-size: 2rem; line-height: 1.2; }
h1 + p { margin: .75rem 0 0; font-size: 1.25rem; max-width: 46rem; text-wrap: balance; }
h1 + p + p { margin: .75rem 0 2rem; max-width: 46rem; color: var(--soft); }
h2 { margin: 2.25rem 0 .75rem; font-size: 1rem; color: var(--soft); font-weight: 600; }
dl, ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 45%), 1fr)); gap: .75rem; margin: 0; padding: 0; }
ul { grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); list-style: none; }
dl div, li a { display: block; height: 100%; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
dt, li span { color: var(--soft); font-size: .9375rem; }
dd { margin: 0; font-size: 1.75rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; }
li a { color: inherit; text-decoration: none; }
li strong { display: block; color: var(--accent); }
li a:hover { border-color: var(--accent); }
form { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: .75rem; margin-bottom: 2rem; }
form > * { min-width: 0; }
label { display: block; margin-bottom: .4rem; font-weight: 600; }
textarea, pre { display: block; width: 100%; height: 20rem; margin: 0; padding: 1rem; overflow: auto; background: var(--card); color: inherit;
  border: 1px solid var(--line); border-radius: .75rem; font: .875rem/1.5 ui-monospace, monospace; resize: vertical; tab-size: 2; }
form p { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .6rem 0 0; min-height: 2.75rem; color: var(--soft); }
form a { color: var(--accent); }
button { min-height: 2.75rem; padding: 0 1.5rem; border: 0; border-radius: .5rem; background: var(--accent); color: light-dark(#fff, #06302c); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .875rem; }
`;

// The same address answers JSON with the current numbers.
const SCRIPT = `
const status = document.querySelector('[role=status]');
const show = (number) => (number === null ? '\u2013' : number.toLocaleString('en'));
const refresh = async () => {
  if (document.hidden) return;
  try {
    const { numbers } = await (await fetch('./', { headers: { accept: 'application/json' } })).json();
    for (const element of document.querySelectorAll('dd')) element.textContent = show(numbers[element.id]);
    status.textContent = Object.values(numbers).includes(null) ? 'The database does not answer.' : '';
  } catch {
    status.textContent = 'The gateway does not answer.';
  }
  };
setInterval(refresh, 2000);
document.addEventListener('visibilitychange', refresh);
`;

// By GET, so that the answer may come from the gateway's memory or the browser's own; the text is shown as it came, but for its line breaks.
const QUERY_SCRIPT = `
const form = document.querySelector('form');
const [query, answer, figures, explorer] = ['query', 'answer', 'figures', 'explorer'].map((id) => document.getElementById(id));
const run = async () => {
  const search = '?' + new URLSearchParams({ query: query.value });
  if (explorer) explorer.search = search;
  try {
    const startMs = performance.now();
    const response = await fetch(form.dataset.endpoint + search, { cache: 'no-cache', headers: { accept: 'application/graphql-response+json' } });
    const text = await response.text();
    figures.textContent = [response.status, (performance.now() - startMs).toFixed(1) + ' ms', response.headers.get('cache-status')].filter(Boolean).join(' \u00b7 ');
    answer.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    figures.textContent = '';
    answer.textContent = 'The gateway does not answer.';
  }
};
form.addEventListener('submit', (event) => { event.preventDefault(); run(); });
query.addEventListener('keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(); });
run();
`;

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const FRONT_PAGE_SOURCES: PageSources = {
  'style-src': sourceOf(STYLE),
  'script-src': `${sourceOf(SCRIPT)} ${sourceOf(QUERY_SCRIPT)}`,
  'connect-src': "'self'",
  'img-src': 'data:',
};

type Labels = readonly Pick<Count, 'name' | 'label'>[];

const CACHE_LABELS: Labels = [
  { name: 'cacheHits', label: 'Answers from memory' },
  { name: 'cacheMisses', label: 'Responses from the database' },
];

const show = (value: number | null | undefined): string => (value == null ? '–' : value.toLocaleString('en'));

/** A proxy may strip a prefix, so that the front page is not at the root for a browser. */
export const relative = (path: string): string => `.${path}`;

/** Gives a result with any catalogue. */
const QUERY = `query ShopWindow {
  hotProducts(limit: 3) {
    name
    price { amount currencyCode }
    stock
    category { name }
  }
  notices {
    title
    endsAt
  }
}`;

const renderQuery = ({ endpoint, explorer }: QueryForm): string => `
      <form data-endpoint="${relative(endpoint)}">
        <div>
          <label for="query">A query to edit and run</label>
          <textarea id="query" spellcheck="false" autocapitalize="off" aria-keyshortcuts="Control+Enter">${QUERY}</textarea>
          <p><button>Run</button>${explorer ? `<a id="explorer" href="${relative(explorer)}">Open in GraphiQL</a>` : ''}</p>
        </div>
        <div>
          <label for="answer">Its answer</label>
          <pre tabindex="0" role="region" aria-label="Answer"><output id="answer" for="query"></output></pre>
          <p id="figures"></p>
        </div>
      </form>`;

const renderNumbers = (labels: Labels, numbers: Numbers): string => `
      <h2>At this moment</h2>
      <dl>
        ${labels.map(({ name, label }) => `<div><dt>${escapeHtml(label)}</dt><dd id="${name}">${show(numbers[name])}</dd></div>`).join('\n        ')}
      </dl>
      <p role="status">${Object.values(numbers).includes(null) ? 'The database does not answer.' : ''}</p>`;

/** What is special, in three sentences. */
const PROMISES = (freshnessMs: number): string =>
  `Answers come from memory, and still show every change of your database ${freshnessMs > 0 ? `within ${freshnessMs} ms` : 'at once'}: nothing has to be purged. ` +
  'Opening a notice counts exactly one view, even where processes are killed. ' +
  'Each REST path is one GraphQL document on the same resolvers, so that old clients and new ones see the same shop.';

/** Where a visitor may try a query. */
export interface QueryForm {
  /** Path of the GraphQL endpoint. */
  readonly endpoint: string;
  /** Path of GraphiQL; undefined where it is switched off. */
  readonly explorer: string | undefined;
}

/** The front page: one file, its style and its script inside. @param options.numbers undefined for callers who may not see them */
export const renderFrontPage = ({
  description,
  freshnessMs,
  query,
  links,
  counts,
  version,
  numbers,
}: {
  readonly description: string;
  readonly freshnessMs: number;
  readonly query?: QueryForm;
  readonly links: readonly FrontPageLink[];
  readonly counts: Labels;
  readonly version?: string;
  readonly numbers?: Numbers;
}): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="${escapeHtml(description)}">
    <title>Vitrine</title>
    <link rel="icon" href="${ICON_URL}">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${LOGO.replace('<svg', '<svg aria-hidden="true"')} Vitrine</h1>
      <p>${escapeHtml(description)}</p>
      <p>${escapeHtml(PROMISES(freshnessMs))}</p>${query ? renderQuery(query) : ''}
      <nav aria-label="Places">
        <ul>
          ${links.map(({ href, title, about }) => `<li><a href="${relative(href)}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about)}</span></a></li>`).join('\n          ')}
        </ul>
      </nav>${numbers ? renderNumbers([...counts, ...CACHE_LABELS], numbers) : ''}
      ${version ? `<footer>Version ${version}</footer>` : ''}
    </main>${numbers ? `\n    <script>${SCRIPT}</script>` : ''}${query ? `\n    <script>${QUERY_SCRIPT}</script>` : ''}
  </body>
</html>
`;
