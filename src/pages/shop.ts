import path from 'node:path';
import { type Addresses, type BundledPage, bundleOf, createBundledPage, htmlTemplate } from './page.ts';

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

const page = htmlTemplate('shop.html');

const renderPage = ({ root, base, names }: Addresses, explorer: string | undefined): string => {
  const styles = names.filter((name) => name.endsWith('.css'));
  const modules = names.filter((name) => !name.endsWith('.css'));
  const main = modules.find((name) => name.startsWith('main.'));
  return page({
    root,
    files: [
      ...styles.map((name) => `<link rel="stylesheet" href="${base}/${name}">`),
      `<script type="module" src="${base}/${main}"></script>`,
      ...modules.map((name) => `<link rel="modulepreload" href="${base}/${name}">`),
    ].join('\n    '),
    explorer: explorer === undefined ? '' : ` data-explorer="${root}${explorer.slice(1)}"`,
  });
};
