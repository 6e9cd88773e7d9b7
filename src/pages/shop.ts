import path from 'node:path';
import { type Addresses, type BundledPage, bundleOf, createBundledPage, ICON_URL, LOGO } from './page.ts';

/** The documents of the shop, by their hashes. */
export const SHOP_DOCUMENTS = path.join(import.meta.dirname, '../../examples/shop/trusted-documents.json');

interface Options {
  /** Path of GraphiQL; undefined where it is switched off. */
  readonly explorer: string | undefined;
}

/** A storefront on the public GraphQL API: examples/shop, one page at every address under `/demo`. */
export const createDemo = ({ explorer }: Options): BundledPage =>
  createBundledPage({
    assets: { path: '/demo/assets', load: bundleOf('demo') },
    render: (addresses) => renderPage(addresses, explorer),
    sources: {
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      // The pictures of a catalogue may be on any host.
      'img-src': "'self' https: data:",
    },
  });

const MENU_ICON =
  '<svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20"><path fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M3 5h14M3 10h14M3 15h14"/></svg>';
const SEARCH_ICON =
  '<svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20"><path fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" d="M8.5 14a5.5 5.5 0 1 0 0-11 5.500 5.500 0 0 0 0 11zm4-1.500L17 17"/></svg>';

const renderPage = ({ root, base, names }: Addresses, explorer: string | undefined): string => {
  const styles = names.filter((name) => name.endsWith('.css'));
  const modules = names.filter((name) => !name.endsWith('.css'));
  const main = modules.find((name) => name.startsWith('main.'));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Demo shop</title>
    <link rel="icon" href="${ICON_URL}">
    ${styles.map((name) => `<link rel="stylesheet" href="${base}/${name}">`).join('\n    ')}
    <script type="module" src="${base}/${main}"></script>
    ${modules.map((name) => `<link rel="modulepreload" href="${base}/${name}">`).join('\n    ')}
  </head>
  <body${explorer === undefined ? '' : ` data-explorer="${root}${explorer.slice(1)}"`}>
    <a class="skip" href="#main">To the content</a>
    <aside id="preview-bar" class="preview-bar" aria-label="Preview" hidden></aside>
    <header>
      <a class="brand" href="${root}demo">${LOGO.replace('<svg', '<svg aria-hidden="true"')} Demo shop</a>
      <button id="menu-button" type="button" aria-haspopup="dialog" aria-expanded="false">${MENU_ICON} Categories</button>
      <form class="search" role="search" aria-label="Products" action="${root}demo/search">
        <input id="search-field" type="search" name="q" maxlength="200" placeholder="Search the shop" aria-label="Search the shop" autocomplete="off"
          autocapitalize="off" spellcheck="false" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="suggestions">
        <button aria-label="Search">${SEARCH_ICON}</button>
        <ul id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
      </form>
      <nav aria-label="Departments"><ul id="shelves" class="shelves"></ul></nav>
      <button id="drawer-button" type="button" aria-haspopup="dialog"><span class="glyph" aria-hidden="true">{ }</span><span class="label">The query behind this page</span></button>
    </header>
    <aside id="notice-bar" class="notice-bar" aria-label="Notice" aria-live="polite" hidden></aside>
    <main id="main"><noscript>The demo shop needs JavaScript.</noscript></main>
    <footer>This shop asks nothing but the public API of <a href="${root}">Vitrine</a>. Its code is made to be copied.</footer>
    <dialog id="menu" class="menu" aria-label="Categories"></dialog>
    <dialog id="drawer" class="drawer" aria-labelledby="drawer-title"></dialog>
  </body>
</html>
`;
};
