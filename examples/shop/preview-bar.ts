import { element } from './elements.ts';
import { say } from './language.ts';
import { currentPreview, keepPreview } from './session.ts';

/** `/demo#preview=TOKEN` begins a preview. The token leaves the address at once, so that no link and no history has it. */
const takeToken = (): void => {
  const token = new URLSearchParams(location.hash.slice(1)).get('preview');
  if (!token) return;
  keepPreview({ token, at: currentPreview()?.at ?? null });
  history.replaceState(history.state, '', location.pathname + location.search);
};

/** What a field for date and time shows: the visitor's own time, to the minute. */
const toLocal = (iso: string): string => {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/**
 * A date to see the shop at, for whoever has a preview token.
 * @param change the shop is to be shown anew
 */
export const startPreviewBar = (bar: HTMLElement, change: () => void): void => {
  const show = (): void => {
    takeToken();
    const preview = currentPreview();
    bar.hidden = !preview;
    bar.replaceChildren();
    if (!preview) return;
    const { token, at } = preview;
    const field = element('input', { type: 'datetime-local', required: true, ...(at ? { value: toLocal(at) } : {}) });
    const end = element('button', { type: 'button', class: 'plain' }, say('End the preview'));
    const form = element(
      'form',
      {},
      element('label', {}, `${say('Show the shop at')} `, field),
      element('button', {}, say('Show')),
      end,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      keepPreview({ token, at: new Date(field.value).toISOString() });
      update();
    });
    end.addEventListener('click', () => {
      keepPreview(undefined);
      update();
    });
    bar.replaceChildren(element('strong', {}, say(at ? 'Preview: this is not the shop of now.' : 'Preview')), form);
  };
  const update = (): void => {
    show();
    change();
  };
  addEventListener('hashchange', show);
  show();
};
