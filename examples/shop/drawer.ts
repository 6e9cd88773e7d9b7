import { element } from './elements.ts';
import { OPERATION_EVENT, operationUrl, type RunOperation } from './graphql.ts';
import { say } from './language.ts';

interface Slots {
  readonly dialog: HTMLDialogElement;
  readonly button: HTMLButtonElement;
  /** Path of GraphiQL; undefined where it is switched off. */
  readonly explorer: string | undefined;
}

/** Stands around every page: told of last. */
const FRAME = 'Frame';

/**
 * The query behind this page: each operation that was run for it, its variables, time and cache status, and a link to GraphiQL.
 * @returns to be called when another page begins
 */
export const startDrawer = ({ dialog, button, explorer }: Slots): (() => void) => {
  /** The latest of each name. */
  const run = new Map<string, RunOperation>();
  const figures = element('span', { class: 'figures' });
  button.append(figures);
  const close = element('button', { type: 'button', class: 'plain', 'aria-label': say('Close') }, '✕');
  const content = element('div', { class: 'operations', lang: 'en' });
  dialog.replaceChildren(
    element(
      'div',
      { class: 'dialog-head' },
      element('h2', { id: 'drawer-title' }, say('The query behind this page')),
      close,
    ),
    content,
  );

  const inOrder = (): RunOperation[] =>
    [...run.values()].toSorted((a, b) => Number(a.name === FRAME) - Number(b.name === FRAME));

  const show = (): void => {
    const all = inOrder();
    const [main] = all;
    figures.textContent = main
      ? ['', duration(main), cacheWord(main)].filter((figure) => figure !== null).join(' · ')
      : '';
    if (dialog.open) content.replaceChildren(...all.map((each) => section(each, explorer)));
  };

  document.addEventListener(OPERATION_EVENT, (event) => {
    const { detail } = event as CustomEvent<RunOperation>;
    run.set(detail.name, detail);
    show();
  });
  button.addEventListener('click', () => {
    dialog.showModal();
    show();
  });
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    // The backdrop counts as the dialog itself.
    if (target === dialog) dialog.close();
  });
  return () => run.clear();
};

const duration = ({ durationMs }: RunOperation): string =>
  `${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`;

/** `vitrine; fwd=miss` is a miss, `vitrine; hit` a hit: https://www.rfc-editor.org/rfc/rfc9211 */
const cacheWord = ({ cacheStatus }: RunOperation): string | null => {
  if (cacheStatus === null) return null;
  return /;\s*hit/.test(cacheStatus) ? say('from memory') : say('from the database');
};

const section = (operation: RunOperation, explorer: string | undefined): HTMLElement => {
  const { name, text, variables, status, cacheStatus } = operation;
  const figure = (term: string, value: string) => element('div', {}, element('dt', {}, term), element('dd', {}, value));
  const code = (label: string, body: string) =>
    element('pre', { tabindex: '0', role: 'region', 'aria-label': `${label} of ${name}` }, body);
  const link = operationUrl(text, variables).replace(/^[^?]*/, explorer ?? '');
  return element(
    'section',
    {},
    element('h3', {}, name),
    element(
      'dl',
      {},
      figure('Time', duration(operation)),
      figure('Cache-Status', cacheStatus ?? 'none'),
      figure('HTTP', String(status)),
    ),
    explorer !== undefined && element('p', {}, element('a', { href: link, class: 'button' }, 'Open in GraphiQL')),
    element('h4', {}, 'Variables'),
    code('Variables', JSON.stringify(variables, null, 2)),
    element('h4', {}, 'Operation'),
    code('Text', text.trim()),
  );
};
