import { type Addresses, type BundledPage, bundleOf, createBundledPage, htmlPage, LOGO } from './page.ts';

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

const renderPage = ({ root, base }: Addresses): string =>
  htmlPage({
    title: 'Vitrine: REST reference',
    head: [
      `<link rel="stylesheet" href="${base}/swagger-ui.css">`,
      `<link rel="stylesheet" href="${base}/docs.css">`,
      `<script defer src="${base}/swagger-ui.js"></script>`,
      `<script defer src="${base}/start.js"></script>`,
    ],
    body: `<body>
    <header>${LOGO}<strong>REST reference</strong><a href="${root}">Vitrine</a><a href="openapi.json">openapi.json</a></header>
    <main id="reference"><noscript>The reference needs JavaScript; <a href="openapi.json">openapi.json</a> says the same.</noscript></main>
  </body>`,
  });
