import { type Addresses, type BundledPage, bundleOf, createBundledPage, ICON_URL, LOGO } from './page.ts';

/** The REST reference: Swagger UI on `/openapi.json`. */
export const createDocs = (): BundledPage =>
  createBundledPage({
    assets: { path: '/docs', load: bundleOf('docs') },
    render: renderPage,
    sources: {
      'script-src': "'self'",
      'connect-src': "'self'",
      'style-src': "'self'",
      // The icons of Swagger UI.
      'img-src': "'self' data:",
    },
  });

const renderPage = ({ root, base }: Addresses): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Vitrine: REST reference</title>
    <link rel="icon" href="${ICON_URL}">
    <link rel="stylesheet" href="${base}/swagger-ui.css">
    <link rel="stylesheet" href="${base}/docs.css">
    <script defer src="${base}/swagger-ui.js"></script>
    <script defer src="${base}/start.js"></script>
  </head>
  <body>
    <header>${LOGO}<strong>REST reference</strong><a href="${root}">Vitrine</a><a href="openapi.json">openapi.json</a></header>
    <main id="reference"><noscript>The reference needs JavaScript; <a href="openapi.json">openapi.json</a> says the same.</noscript></main>
  </body>
</html>
`;
