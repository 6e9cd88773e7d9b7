import { element, picture } from '../elements.ts';
import { say } from '../language.ts';
import type { ProductQuery } from '../operations.ts';

interface Gallery {
  readonly content: HTMLElement;
  /** Shows a picture in large, also one that is not among those of the product. */
  readonly show: (url: string | null, alt: string) => void;
}

/** The pictures of a product, one large. */
export const gallery = ({ name, images }: Pick<NonNullable<ProductQuery['product']>, 'name' | 'images'>): Gallery => {
  const stage = element('div', { class: 'stage' });
  const show = (url: string | null, alt: string): void => {
    stage.replaceChildren(picture(url, name, { alt }));
    for (const [place, button] of buttons.entries()) {
      button.setAttribute('aria-pressed', String(images[place]?.url === url));
    }
  };
  // Pictures that nobody has described are all called as the product is.
  const labels = images.map(({ alt }, place) =>
    alt === name && images.length > 1 ? say('{name}, picture {n}', { name, n: place + 1 }) : alt,
  );
  const buttons = images.map(({ url }, place) => {
    const label = labels[place] ?? name;
    const button = element('button', { type: 'button', 'aria-label': label }, picture(url, name));
    button.addEventListener('click', () => show(url, label));
    return button;
  });
  show(images[0]?.url ?? null, labels[0] ?? name);
  return {
    content: element(
      'div',
      { class: 'gallery' },
      stage,
      images.length > 1 && element('div', { class: 'thumbs' }, ...buttons),
    ),
    show: (url, alt) => show(url, labels[images.findIndex((image) => image.url === url)] ?? alt),
  };
};
