import { BASE } from './language.ts';
import type { MakeView, View } from './view.ts';
import { categoryView } from './views/category.ts';
import { homeView } from './views/home.ts';
import { notFoundView } from './views/not-found.ts';
import { noticeView } from './views/notice.ts';
import { noticesView } from './views/notices.ts';
import { productView } from './views/product.ts';
import { searchView } from './views/search.ts';

const ROUTES: readonly (readonly [pattern: RegExp, view: MakeView])[] = [
  [/^\/?$/, homeView],
  [/^\/category\/(\d{1,9})$/, categoryView],
  [/^\/product\/(\d{1,9})$/, productView],
  [/^\/search$/, searchView],
  [/^\/notices$/, noticesView],
  [/^\/notice\/(\d{1,9})$/, noticeView],
];

interface Hooks {
  /** Makes a view and shows it. @param signal aborted when the visitor has gone elsewhere meanwhile */
  readonly show: (makeView: () => Promise<View>, signal: AbortSignal, retry: () => void) => Promise<void>;
  /** The visitor has come to another view, by a link or through the history. */
  readonly arrive: () => void;
}

interface Router {
  /** Shows an address of the shop. */
  readonly goTo: (href: string) => void;
  /** Shows the same address again. */
  readonly refresh: () => void;
}

/** Shows the view of the address, and changes it without loading the page again: links, forms, back and forward. */
export const startRouter = ({ show, arrive }: Hooks): Router => {
  let current = new AbortController();

  const render = async (): Promise<boolean> => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    const { pathname, search } = location;
    const path = pathname.slice(BASE.length);
    const [pattern, view] = ROUTES.find(([each]) => each.test(path)) ?? [];
    const place = { id: Number(pattern?.exec(path)?.[1]), search: new URLSearchParams(search) };
    await show(
      async () => (view ? view(place, signal) : notFoundView('page')),
      signal,
      async () => {
        if (await render()) arrive();
      },
    );
    return !signal.aborted;
  };

  const goTo = async (url: URL): Promise<boolean> => {
    if (url.href === location.href) history.replaceState({ scroll: 0 }, '');
    else history.pushState({ scroll: 0 }, '', url);
    return render();
  };

  const arriveAt = async (url: URL): Promise<void> => {
    if (!(await goTo(url))) return;
    scrollTo(0, 0);
    arrive();
  };

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0 || isForNewTab(event)) return;
    const url = new URL(link.href);
    // Another language is another page.
    if (!isInShop(url) || link.hreflang !== '') return;
    event.preventDefault();
    void arriveAt(url);
  });

  // The fields of a form go into the address, as the browser itself would do it.
  document.addEventListener('submit', (event) => {
    const { target: form } = event;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    event.preventDefault();
    const given = [...new FormData(form)].flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]]));
    const search = new URLSearchParams(given).toString();
    const action = form.getAttribute('action');
    const url = new URL(action ?? location.pathname, location.origin);
    url.search = search;
    void (action === null ? goTo(url) : arriveAt(url));
  });

  // The page is shorter than it was until its view has come, so that the browser cannot put the scroll back by itself.
  history.scrollRestoration = 'manual';
  addEventListener('scrollend', () => history.replaceState({ scroll: scrollY }, ''));
  addEventListener('popstate', async ({ state }: PopStateEvent) => {
    if (!(await render())) return;
    arrive();
    scrollTo(0, state?.scroll ?? 0);
  });

  const { scroll = 0 } = history.state ?? {};
  void render().then(() => scrollTo(0, scroll));

  return { goTo: (href) => void arriveAt(new URL(href, location.origin)), refresh: () => void render() };
};

const isForNewTab = ({ metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  metaKey || ctrlKey || shiftKey || altKey;

const isInShop = ({ origin, pathname }: URL): boolean =>
  origin === location.origin && (pathname === BASE || pathname.startsWith(`${BASE}/`));
