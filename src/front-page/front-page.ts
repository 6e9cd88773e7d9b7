import packageJson from '../../package.json' with { type: 'json' };
import type { Access } from '../access/access.ts';
import type { Answers } from '../cache/answers.ts';
import type { GatewayRequest, GatewayResponse } from '../http/message.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { jsonResponse } from '../http/responses.ts';
import type { CountCatalogue } from './catalogue-counts.ts';
import { FRONT_PAGE_SOURCES, renderFrontPage } from './page.ts';

/** A way on from the front page. */
export interface Place {
  /** In JSON, and as the relation of a link where it is a registered one. */
  readonly name: string;
  readonly href: string;
  readonly title: string;
  readonly about: string;
  /** https://www.rfc-editor.org/rfc/rfc8631 */
  readonly relation?: string;
}

export interface Numbers {
  readonly products: number | null;
  readonly noticesInEffect: number | null;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly cachedAnswers: number;
  readonly cachedBytes: number;
}

/** What `/` says: HTML to browsers, else JSON. */
export type FrontPage = (request: Pick<GatewayRequest, 'headers'>) => Promise<GatewayResponse>;

interface Deps {
  readonly places: readonly Place[];
  readonly countCatalogue: CountCatalogue;
  readonly answers: Pick<Answers, 'stats' | 'size'>;
  readonly admit: Access['admitToPage'];
}

export const createFrontPage = ({ places, countCatalogue, answers, admit }: Deps): FrontPage => {
  const { name, description, version } = packageJson;
  const links = Object.fromEntries(places.map((place) => [place.name, place.href]));
  const link = places
    .flatMap(({ href, relation }) => (relation === undefined ? [] : [`<${href}>; rel="${relation}"`]))
    .join(', ');

  const readNumbers = async (): Promise<Numbers> => {
    const counts = await countCatalogue();
    const { hits, misses, joined, stale } = answers.stats;
    const { entries, bytes } = answers.size();
    return {
      products: counts?.products ?? null,
      noticesInEffect: counts?.noticesInEffect ?? null,
      cacheHits: hits + joined + stale,
      cacheMisses: misses,
      cachedAnswers: entries,
      cachedBytes: bytes,
    };
  };

  return async ({ headers }) => {
    const { accept } = headers;
    // How much there is and how busy it is are for those who may ask for the rest.
    const isAdmitted = await admit(headers).then(
      () => true,
      () => false,
    );
    const state = isAdmitted ? { version, numbers: await readNumbers() } : {};
    const common = { vary: 'accept', link };
    if (!accept?.includes('text/html'))
      return jsonResponse(200, { name, description, ...state, links }, { headers: common });
    return {
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        ...common,
        ...pageHeaders(FRONT_PAGE_SOURCES),
      },
      body: renderFrontPage({ description, places, ...state }),
    };
  };
};
