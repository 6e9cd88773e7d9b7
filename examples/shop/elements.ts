import { PREFIX } from './language.ts';

type Child = Node | string | false | null | undefined;
type Attributes = Readonly<Record<string, string | boolean | null | undefined>>;

const isShown = (child: Child): child is Node | string => child !== false && child !== null && child !== undefined;

/** An element: `element('a', { href: '/demo' }, 'Home')`. Texts stay texts, whatever they hold; `false` and null leave out. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] => {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) created.setAttribute(key, '');
    else if (typeof value === 'string') created.setAttribute(key, value);
  }
  created.append(...children.filter(isShown));
  return created;
};

/** Puts something in the place of what was there. Whoever is in a field goes on in the same field of what is new, with what they have typed. */
export const replaceContent = (place: Element, ...content: readonly Child[]): void => {
  const field = place.contains(document.activeElement) ? document.activeElement : null;
  place.replaceChildren(...content.filter(isShown));
  const name = field?.getAttribute('name');
  if (!name) return;
  // The fields of a group share a name.
  const named = [...place.querySelectorAll<HTMLElement>(`[name="${CSS.escape(name)}"]`)];
  const same = named.find((each) => each.getAttribute('value') === field?.getAttribute('value')) ?? named[0];
  if (field instanceof HTMLInputElement && same instanceof HTMLInputElement && field.value !== field.defaultValue)
    same.value = field.value;
  same?.focus();
};

/** Where a picture is: its address on any host, or a path of the gateway's. */
export const pictureAddress = (url: string): string => (/^\/(?!\/)/.test(url) ? PREFIX + url : url);

/** A picture, a path of the gateway's or an address of any host; where there is none, or it does not load, the first letter of what it would show. */
export const picture = (url: string | null, label: string, attributes: Attributes = {}): HTMLElement => {
  const fallback = () => element('span', { class: 'no-picture', 'aria-hidden': 'true' }, [...label][0]);
  if (url === null) return fallback();
  const image = element('img', {
    src: pictureAddress(url),
    alt: '',
    width: '600',
    height: '600',
    decoding: 'async',
    ...attributes,
  });
  image.addEventListener('error', () => image.replaceWith(fallback()), { once: true });
  return image;
};
