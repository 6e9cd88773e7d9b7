import { startDrawer } from './drawer.ts';
import { replaceContent } from './elements.ts';
import { followNotices, refreshFrame } from './frame.ts';
import { inLanguage, say, showLanguages } from './language.ts';
import { startMenu } from './menu.ts';
import { startPreviewBar } from './preview-bar.ts';
import { startRouter } from './router.ts';
import { startSearchBox } from './search-box.ts';
import { failureView } from './views/failure.ts';

const slot = <Type extends HTMLElement>(id: string, type: new () => Type): Type => {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no #${id}`);
  return found;
};

// The addresses in the page are relative to the place where a visit begins, which changes without the page being loaded again.
for (const link of document.querySelectorAll<HTMLAnchorElement>('a:not([href^="#"])'))
  link.setAttribute('href', inLanguage(link.href));
for (const form of document.querySelectorAll('form')) form.setAttribute('action', inLanguage(form.action));
const explorer = document.body.getAttribute('data-explorer');

const main = slot('main', HTMLElement);
const noticeBar = slot('notice-bar', HTMLElement);
const searchField = slot('search-field', HTMLInputElement);
const languages = slot('languages', HTMLElement);
const slots = {
  shelves: slot('shelves', HTMLElement),
  noticeBar,
  showMenu: startMenu(slot('menu', HTMLDialogElement), slot('menu-button', HTMLButtonElement)),
};
const beginDrawer = startDrawer({
  dialog: slot('drawer', HTMLDialogElement),
  button: slot('drawer-button', HTMLButtonElement),
  explorer: explorer === null ? undefined : new URL(explorer, location.href).href,
});

const focusHeading = (options?: FocusOptions): void => {
  const heading = main.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus(options);
};

// Who goes to the search field while the next page is loading stays there: neither the text nor the focus is taken away.
let isSearching = false;
for (const event of ['focus', 'input'])
  searchField.addEventListener(event, () => {
    isSearching = true;
  });

const { goTo, refresh } = startRouter({
  show: async (makeView, signal, retry) => {
    isSearching = false;
    searchField.value = new URLSearchParams(location.search).get('q') ?? '';
    main.setAttribute('aria-busy', 'true');
    beginDrawer();
    const framed = refreshFrame(slots, signal);
    const view = await makeView().catch((error: unknown) => (signal.aborted ? undefined : failureView(error, retry)));
    // The first page waits for what stands above it, so that it need not move.
    if (main.querySelector('h1') === null) await framed;
    if (signal.aborted || !view) return;
    showLanguages(languages, view.languages);
    document.title = `${view.title} · ${say('Demo shop')}`;
    replaceContent(main, view.content);
    main.removeAttribute('aria-busy');
  },
  // A screen reader goes on where the new page begins, as it would after a page load.
  arrive: () => {
    if (!isSearching) focusHeading({ preventScroll: true });
  },
});

// Not by the address: it says what the page shows.
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault();
  focusHeading();
});

startSearchBox(searchField, slot('suggestions', HTMLElement), goTo);

let following = new AbortController();
const follow = (): void => {
  following.abort();
  following = new AbortController();
  followNotices(noticeBar, following.signal);
};
startPreviewBar(slot('preview-bar', HTMLElement), () => {
  refresh();
  follow();
});
follow();
