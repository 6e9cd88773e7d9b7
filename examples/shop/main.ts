import { refreshFrame } from './frame.ts';
import { startRouter } from './router.ts';
import { failureView } from './views/failure.ts';

const slot = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return found;
};

const main = slot('main');
const slots = { menu: slot('menu'), noticeBar: slot('notice-bar') };

startRouter({
  show: async (makeView, signal, retry) => {
    main.setAttribute('aria-busy', 'true');
    void refreshFrame(slots, signal);
    const { title, content } = await makeView().catch((error: unknown) => failureView(error, retry));
    if (signal.aborted) return;
    document.title = `${title} · Demo shop`;
    main.replaceChildren(content);
    main.removeAttribute('aria-busy');
  },
  // A screen reader goes on where the new page begins, as it would after a page load.
  arrive: () => {
    const heading = main.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  },
});
