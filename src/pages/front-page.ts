import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { type BundledPage, createBundledPage, htmlTemplate } from './page.ts';

/** A link of the front page. */
export interface FrontPageLink {
  readonly href: string;
  readonly title: string;
  readonly about: string;
}

/** The front page: one file, with its style inside. */
export const createFrontPage = (freshnessMs: number, links: readonly FrontPageLink[]): BundledPage => {
  const style = readFileSync(new URL('./front-page.css', import.meta.url), 'utf8');
  return createBundledPage({
    render: () =>
      page({
        description: packageJson.description,
        style,
        bound: freshnessMs > 0 ? `within ${freshnessMs} ms` : 'at once',
        links: links.map(renderLink).join('\n          '),
      }),
    sources: { 'style-src': `'sha256-${createHash('sha256').update(style).digest('base64')}'` },
  });
};

const page = htmlTemplate('front-page.html');

/** The address is relative: a proxy may strip a prefix, so that the front page is not at the root for a browser. */
const renderLink = ({ href, title, about }: FrontPageLink): string =>
  `<li><a href=".${href}"><strong>${title}</strong><span>${about}</span></a></li>`;
