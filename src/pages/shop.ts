import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { AppError } from '../errors.ts';
import { type FindRoute, responseRoute } from '../http/route.ts';
import { type Addresses, type BundledPage, createBundledPage, htmlTemplate, type Texts } from './page.ts';

const FOLDER = path.join(import.meta.dirname, '../../examples/shop');
const PICTURES = path.join(import.meta.dirname, '../../prisma/demo/pictures');

/** The documents of the shop, by their hashes. */
export const SHOP_DOCUMENTS = path.join(FOLDER, 'trusted-documents.json');

/** A storefront on the public GraphQL API: examples/shop, one page at every address under `/demo`. */
export const createDemo = (hasExplorer: boolean, languages: readonly string[]): BundledPage =>
  createBundledPage({
    assets: { path: '/demo/assets', load: loadAssets },
    render: (addresses) => renderPage(addresses, hasExplorer, languages),
    // The pictures of a catalogue may be on any host.
    sources: { 'img-src': "'self' https: data:" },
  });

/** Nothing is bundled, and types are only blanked, so the browser's developer tools show these sources. */
const loadAssets = async (): Promise<Texts> => {
  const names = (await readdir(FOLDER, { recursive: true }))
    .filter((name) => /\.(ts|js|css)$/.test(name) && !name.endsWith('.d.ts'))
    .toSorted();
  const sourceOf = async (name: string): Promise<[name: string, source: string]> => {
    const source = await readFile(path.join(FOLDER, name), 'utf8');
    return [name.replaceAll(path.sep, '/'), name.endsWith('.ts') ? stripTypeScriptTypes(source) : source];
  };
  return Object.fromEntries(await Promise.all(names.map(sourceOf)));
};

const page = htmlTemplate('shop.html');

const renderPage = ({ root, base, names }: Addresses, hasExplorer: boolean, languages: readonly string[]): string => {
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
    explorer: hasExplorer ? ` data-explorer="${root}graphql"` : '',
    languages: languages.length > 0 ? ` data-languages="${languages.join(' ')}"` : '',
  });
};

const PICTURE_HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'public, max-age=86400',
  // An SVG opened by itself is a page, hence the policy. Other sites may show the picture: `imageUrl` leads to it.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

/** The pictures of the demo catalogue, at `/images/<name>.svg`. */
export const findDemoPicture: FindRoute = (requestPath) => {
  const name = /^\/images\/([a-z0-9-]{1,80}\.svg)$/.exec(requestPath)?.[1];
  if (name === undefined) return undefined;
  return responseRoute(async () => {
    const body = await readFile(path.join(PICTURES, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new AppError('NOT_FOUND', 'There is no picture of this name.');
    });
    return { status: 200, headers: PICTURE_HEADERS, body };
  });
};
