import { element, pictureAddress, replaceContent } from '../elements.ts';
import { attributeText, count, day } from '../format.ts';
import { query } from '../graphql.ts';
import { LANGUAGE, say } from '../language.ts';
import { subscribe } from '../live.ts';
import {
  ProductChangesDocument,
  ProductDocument,
  type ProductOfferFragment,
  type ProductQuery,
} from '../operations.ts';
import { gallery } from '../product/gallery.ts';
import {
  type Choice,
  chosenVariant,
  nearestChoice,
  type Picker,
  picker,
  readChoice,
  variantName,
} from '../product/picker.ts';
import { structuredData } from '../product/structured-data.ts';
import { priceTag, productGrid } from '../products.ts';
import { plainText } from '../text.ts';
import { type MakeView, OPTION, productPath, SEARCH_PATH } from '../view.ts';
import { recentlyViewed, rememberViewed } from '../viewed.ts';
import { notFoundView } from './not-found.ts';
import { trail } from './trail.ts';

type Product = NonNullable<ProductQuery['product']>;

const FEW = 10;

export const productView: MakeView = async ({ id, search }, signal) => {
  const [{ product }, viewed] = await Promise.all([query(ProductDocument, { id }, signal), recentlyViewed(signal, id)]);
  if (!product) return notFoundView('product');
  rememberViewed(id);

  const { name, subtitle, brand, description, category, related } = product;
  const pictures = gallery(product);
  return {
    title: name,
    languages: product.translations.map((each) => each.language),
    content: element(
      'div',
      {},
      trail(...category.ancestors, category),
      element(
        'article',
        { class: 'product' },
        pictures.content,
        element(
          'div',
          {},
          brand !== null && element('p', { class: 'soft' }, searchLink('brand', brand)),
          element('h1', { lang: product.language !== LANGUAGE && product.language }, name),
          subtitle !== null && element('p', { class: 'lead' }, plainText(subtitle)),
          ...offer(product, search, pictures.show, signal),
          element('p', { class: 'text' }, plainText(description)),
          details(product),
          facts(product),
        ),
      ),
      related.length > 0 && element('h2', {}, say('Related products')),
      related.length > 0 && productGrid(related),
      ...viewed,
      element('script', { type: 'application/ld+json' }, dataOf(product)),
    ),
  };
};

const searchLink = (parameter: string, value: string, label = value): HTMLElement =>
  element('a', { href: `${SEARCH_PATH}?${new URLSearchParams({ [parameter]: value })}` }, label);

/** What is chosen, and its price and stock, which follow the back office while one looks. The choice is in the address. */
const offer = (
  product: Product,
  search: URLSearchParams,
  showPicture: (url: string | null, alt: string) => void,
  signal: AbortSignal,
): HTMLElement[] => {
  const choices = element('div');
  const place = element('div', { class: 'offer', 'aria-live': 'polite' });
  let known: ProductOfferFragment = product;
  let isGone = false;
  let choice = readChoice(product, search);
  let note: HTMLElement | undefined;
  let shown = '';

  const show = (): void => {
    const variants = isGone ? [] : known.variants;
    const variant = chosenVariant(variants, choice);
    const offered = variant ?? (variants.length === 0 && !isGone ? known : null);
    options.mark(variants, choice);
    // An event that changes nothing here must not be read out.
    const state = JSON.stringify([
      isGone,
      offered?.price,
      offered?.listPrice,
      offered?.stock,
      variant?.sku,
      note?.textContent,
    ]);
    if (state === shown) return;
    shown = state;
    if (!offered) {
      const reason = isGone ? say('No longer on sale') : say('Not made in this combination');
      place.replaceChildren(element('p', { class: 'stock sold-out' }, reason));
      return;
    }
    const sku = variant ? variant.sku : product.sku;
    place.replaceChildren(
      priceTag(offered),
      element('p', { class: offered.inStock ? 'stock' : 'stock sold-out' }, stockText(offered)),
      ...(sku === null ? [] : [element('p', { class: 'soft' }, say('Item {sku}', { sku }))]),
      ...(note ? [note] : []),
    );
  };

  const showVariantPicture = (): void => {
    const variant = chosenVariant(known.variants, choice);
    if (variant && variant.imageUrl !== null) showPicture(variant.imageUrl, variantName(product.name, variant));
  };

  const makePicker = (): Picker => {
    const made = picker(known, (wanted, place) => {
      choice = nearestChoice(known, wanted, place);
      note = noteOf(known.options, wanted, choice, place);
      history.replaceState(history.state, '', addressOf(product.id, choice));
      show();
      showVariantPicture();
    });
    replaceContent(choices, known.options.length > 0 && made.content);
    return made;
  };

  let options = makePicker();
  show();
  showVariantPicture();

  place.addEventListener('animationend', () => place.classList.remove('changed'));
  subscribe(ProductChangesDocument, { id: product.id }, signal, ({ product: changed }) => {
    const before = shown;
    const offered = JSON.stringify(known.options);
    isGone = changed === null;
    known = changed ?? known;
    if (JSON.stringify(known.options) !== offered) {
      choice = readChoice(known, searchOf(choice));
      note = undefined;
      options = makePicker();
    }
    show();
    if (shown !== before) place.classList.add('changed');
  });
  return [choices, place];
};

/** What else has changed with the value that was picked last, or nothing. */
const noteOf = (
  options: ProductOfferFragment['options'],
  wanted: Choice,
  choice: Choice,
  place: number,
): HTMLElement | undefined => {
  const left = wanted.filter(({ value }, at) => value !== choice[at]?.value);
  const taken = choice.filter(({ value }, at) => value !== wanted[at]?.value);
  if (left.length === 0) return undefined;
  const verb = taken.length === 1 ? 'is' : 'are';
  const picked = wanted.slice(place, place + 1);
  const words = [
    valuesOf(picked, options),
    ` ${say('is not made in')} `,
    valuesOf(left, options),
    ': ',
    valuesOf(taken, options),
    ` ${say(`${verb} chosen instead`)}`,
  ];
  return element('p', {}, ...words);
};

/** In the direction of their own script, whatever stands around them. */
const valuesOf = (choice: Choice, options: ProductOfferFragment['options']): HTMLElement => {
  const labelOf = ({ name, value }: Choice[number]): string => {
    const option = options.find((each) => each.name === name);
    return option?.valueLabels[option.values.indexOf(value)] ?? value;
  };
  return element('bdi', {}, choice.map(labelOf).join(', '));
};

const searchOf = (choice: Choice): URLSearchParams =>
  new URLSearchParams(choice.map(({ name, value }) => [OPTION + name, value]));

const addressOf = (id: number, choice: Choice): string => {
  const search = searchOf(choice);
  return search.size === 0 ? productPath(id) : `${productPath(id)}?${search}`;
};

const stockText = ({ stock, inStock }: Pick<ProductOfferFragment, 'stock' | 'inStock'>): string => {
  if (!inStock) return say('Sold out');
  return stock < FEW ? say('Only {n} left', { n: stock }) : `${say('In stock')}: ${count(stock)}`;
};

/** The attributes, as a table. */
const details = ({ attributes }: Product): HTMLElement | false =>
  attributes.length > 0 &&
  element(
    'table',
    { class: 'details' },
    element('caption', {}, say('Details')),
    element(
      'tbody',
      {},
      ...attributes.map(({ label, valueLabels }) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, label),
          element('td', {}, valueLabels.map(attributeText).join(', ')),
        ),
      ),
    ),
  );

const facts = ({ tags, tagLabels, sales, publishedAt }: Product): HTMLElement =>
  element(
    'ul',
    { class: 'facts' },
    ...tags.map((tag, place) => element('li', { class: 'badge' }, searchLink('tag', tag, tagLabels[place]))),
    element('li', {}, say('{n} sold', { n: count(sales) })),
    element('li', {}, `${say('Since')} `, day(publishedAt)),
  );

const dataOf = (product: Product): string => {
  const absolute = (address: string): string => new URL(address, location.origin).href;
  return structuredData(
    { ...product, description: plainText(product.description) },
    {
      page: absolute(productPath(product.id)),
      variant: ({ selectedOptions }) => absolute(addressOf(product.id, selectedOptions)),
      image: (url) => URL.parse(pictureAddress(url), location.origin)?.href ?? url,
    },
  );
};
