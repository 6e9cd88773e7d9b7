import { element } from '../elements.ts';
import { ShopError } from '../graphql.ts';
import { say } from '../language.ts';
import { currentPreview, keepAccessToken } from '../session.ts';
import type { View } from '../view.ts';

/** What a visitor sees in place of a view that failed. @param retry makes it again */
export const failureView = (error: unknown, retry: () => void): View => {
  if (error instanceof ShopError && error.code === 'UNAUTHENTICATED' && !currentPreview()?.at)
    return tokenView(error, retry);
  if (!(error instanceof ShopError)) console.error(error);
  const button = element('button', { type: 'button' }, say('Try again'));
  button.addEventListener('click', retry);
  return {
    title: say('Something is wrong'),
    content: element(
      'div',
      { role: 'alert' },
      element('h1', {}, say('This did not work')),
      element('p', {}, error instanceof ShopError ? error.message : say('Something went wrong on this page.')),
      button,
    ),
  };
};

const tokenView = (error: ShopError, retry: () => void): View => {
  const input = element('input', { type: 'password', required: true, autocomplete: 'off' });
  const form = element(
    'form',
    { class: 'filter' },
    element('label', {}, `${say('Access token')} `, input),
    element('button', {}, say('Open')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    keepAccessToken(input.value);
    retry();
  });
  return {
    title: say('Access token'),
    content: element(
      'div',
      {},
      element('h1', {}, say('This shop wants a token')),
      element('p', {}, error.message),
      form,
    ),
  };
};
