import path from 'node:path';
import { type BundledPage, createBundledPage, ICON_URL, LOGO } from './page.ts';

/** The documents of the shop, by their hashes. */
export const SHOP_DOCUMENTS = path.join(import.meta.dirname, '../../examples/shop/trusted-documents.json');

/** A storefront on the public GraphQL API: examples/shop, one page at every address under `/demo`. */
export const createDemo = (): BundledPage =>
  createBundledPage({
    assetsPath: '/demo/assets',
    worker: new URL('./shop.worker.ts', import.meta.url),
    render: renderPage,
    sources: {
      'script-src': "'self'",
      'style-src': "'self'",
      'connect-src': "'self'",
      // The pictures of a catalogue may be on any host.
      'img-src': "'self' https: data:",
    },
  });

const renderPage = (base: string, names: readonly string[]): string => {
  const modules = names.filter((name) => !name.endsWith('.css'));
  const main = modules.find((name) => name.startsWith('main.'));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Demo shop</title>
    <link rel="icon" href="${ICON_URL}">
    <link rel="stylesheet" href="${base}/shop.css">
    <script type="module" src="${base}/${main}"></script>
    ${modules.map((name) => `<link rel="modulepreload" href="${base}/${name}">`).join('\n    ')}
  </head>
  <body>
    <a class="skip" href="#main">To the content</a>
    <header>
      <a class="brand" href="/demo">${LOGO.replace('<svg', '<svg aria-hidden="true"')} Demo shop</a>
      <nav aria-label="Categories"><ul id="menu" class="menu"></ul></nav>
    </header>
    <aside id="notice-bar" class="notice-bar" aria-label="Notice"></aside>
    <main id="main"><noscript>The demo shop needs JavaScript.</noscript></main>
    <footer>This shop asks nothing but the public API of <a href="/">Vitrine</a>. Its code is made to be copied.</footer>
  </body>
</html>
`;
};
