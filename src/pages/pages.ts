import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config/config.ts';
import type { Exposures } from '../config/variables.ts';
import { AppError } from '../errors.ts';
import { type StaticFile, serveFile } from '../http/content-encodings.ts';
import { type ResponseRoute, responseRoute } from '../http/route.ts';
import { createGraphiql } from './graphiql.ts';
import { type BundledPage, createBundledPage, createPage, htmlTemplate } from './page.ts';
import { createDemo } from './shop.ts';

/** What the pages depend on. */
interface PageDeps extends Pick<Config, 'exposure' | 'freshnessMs' | 'introspection' | 'languages'> {
  readonly openapi: StaticFile;
}

/** A link of the front page. */
interface FrontPageLink {
  readonly href: string;
  readonly title: string;
  readonly about: string;
}

interface PageRow {
  readonly path: string;
  /** The variable that says who may see the page, in camel case. Pages may share one. @default everybody */
  readonly exposure?: keyof Exposures;
  readonly create: (deps: PageDeps) => BundledPage;
  /** Path prefix of the page's assets. @default the path and a slash */
  readonly assetsPath?: string;
  /** Whether every other path below is this page too, for a script that routes by the address. */
  readonly isEverywhereBelow?: true;
  /** Its link on the front page; undefined: none. */
  readonly link?: Omit<FrontPageLink, 'href'>;
}

/** Every page. A page is a file in this folder and a row here. */
export const PAGES: readonly PageRow[] = [
  { path: '/', create: (deps) => createFrontPage(deps) },
  {
    path: '/graphql',
    exposure: 'graphiql',
    create: ({ introspection }) => createGraphiql(introspection),
    assetsPath: '/graphiql/',
  },
  {
    path: '/demo',
    exposure: 'demo',
    create: ({ exposure, languages }) => createDemo(exposure.graphiql !== 'off', languages),
    isEverywhereBelow: true,
    link: { title: 'Demo shop', about: 'A storefront on the GraphQL API, to look at and to copy.' },
  },
  {
    path: '/docs',
    exposure: 'docs',
    // Swagger UI on `/openapi.json`.
    create: () =>
      createPage('reference.html', '/docs', {
        'swagger-ui.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
        'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
        'start.js': new URL('./reference.browser.js', import.meta.url),
        'docs.css': new URL('./reference.css', import.meta.url),
      }),
    link: {
      title: 'REST reference',
      about: 'The REST paths: parameters, answers, errors, and a button that tries each.',
    },
  },
  {
    path: '/agents',
    exposure: 'ucp',
    // A form for each tool of the catalogue for agents.
    create: () =>
      createPage('agents.html', '/agents', {
        'start.js': new URL('./agents.browser.js', import.meta.url),
        'agents.css': new URL('./agents.css', import.meta.url),
      }),
    link: { title: 'Agents', about: 'What shopping assistants ask: three tools, to call.' },
  },
  {
    path: '/openapi.json',
    exposure: 'docs',
    create: ({ openapi }) => ({ page: async () => openapi }),
    link: { title: 'OpenAPI', about: 'The REST paths, for tools.' },
  },
];

/** @returns what finds the route of a page, and GraphiQL, which is served at the GraphQL endpoint */
export const createPages = (deps: PageDeps) => {
  const finders = PAGES.map((row) => createFinder(row, deps));
  const find = (path: string): ResponseRoute | undefined =>
    finders
      .values()
      .map((findIn) => findIn(path))
      .find((route) => route !== undefined);
  return { find, graphiql: find('/graphql') as ResponseRoute };
};

/** Clients can make up addresses of any depth, and the page of each depth is kept. */
const MAX_DEPTH = 4;

/** Finds the route of a page or an asset. */
const createFinder = (row: PageRow, deps: PageDeps): ((path: string) => ResponseRoute | undefined) => {
  const { page, asset } = row.create(deps);
  const { assetsPath = `${row.path}/`, isEverywhereBelow } = row;
  const fileFrom = (read: () => Promise<StaticFile | undefined>): ResponseRoute =>
    responseRoute(async ({ request }) => {
      const file = await read();
      if (!file) throw new AppError('NOT_FOUND', 'There is nothing at this path.');
      return serveFile(request, file);
    }, row.exposure && deps.exposure[row.exposure]);
  const pageItself = fileFrom(page);
  return (path) => {
    if (path === row.path) return pageItself;
    if (!asset || !path.startsWith(assetsPath)) return undefined;
    const depth = path.split('/').length - 2;
    const isPage = isEverywhereBelow === true && depth <= MAX_DEPTH;
    return fileFrom(async () => (await asset(path)) ?? (isPage ? page(depth) : undefined));
  };
};

/** One file, with its style inside. */
const createFrontPage = ({ freshnessMs, exposure }: PageDeps): BundledPage => {
  const style = readFileSync(new URL('./front-page.css', import.meta.url), 'utf8');
  return createBundledPage({
    render: () =>
      frontPage({
        description: packageJson.description,
        style,
        bound: freshnessMs > 0 ? `within ${freshnessMs} ms` : 'at once',
        links: linksOf(exposure).map(toHtml).join('\n          '),
      }),
    sources: { 'style-src': `'sha256-${createHash('sha256').update(style).digest('base64')}'` },
  });
};

const frontPage = htmlTemplate('front-page.html');

/** The address is relative: a proxy may strip a prefix, so that the front page is not at the root for a browser. */
const toHtml = ({ href, title, about }: FrontPageLink): string =>
  `<li><a href=".${href}"><strong>${title}</strong><span>${about}</span></a></li>`;

/** The links of the front page that the switches allow. */
const linksOf = (exposure: Exposures): FrontPageLink[] => [
  {
    href: '/graphql',
    ...(exposure.graphiql === 'off'
      ? { title: 'GraphQL', about: 'The endpoint: GET, and POST or QUERY of application/json.' }
      : { title: 'GraphiQL', about: 'The GraphQL API: read the schema, write operations, run them.' }),
  },
  ...PAGES.flatMap(({ path, exposure: variable, link }) =>
    link && variable && exposure[variable] !== 'off' ? [{ ...link, href: path }] : [],
  ),
  { href: '/readyz', title: 'Health', about: 'Whether it can serve.' },
  ...(exposure.metrics === 'off' ? [] : [{ href: '/metrics', title: 'Metrics', about: 'For Prometheus.' }]),
];
