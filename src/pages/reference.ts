import { type BundledPage, bundleOf, createBundledPage, htmlTemplate } from './page.ts';

const page = htmlTemplate('reference.html');

/** The REST reference: Swagger UI on `/openapi.json`. */
export const createDocs = (): BundledPage =>
  createBundledPage({
    assets: { path: '/docs', load: bundleOf('docs') },
    render: ({ root, base }) => page({ root, base }),
    sources: {
      'script-src': "'self'",
      'connect-src': "'self'",
      'style-src': "'self'",
      // The icons of Swagger UI.
      'img-src': "'self' data:",
    },
  });
