import { element } from './elements.ts';
import { LANGUAGE, say } from './language.ts';

interface Money {
  readonly amount: string;
  readonly currencyCode: string;
}

/** An amount as the visitor's language writes it. The text goes in as it is: a number could not hold every amount exactly. */
export const money = ({ amount, currencyCode }: Money): string => {
  try {
    // Two decimals, as the amount has: how many a currency usually has is 0 for HUF or 2, by the version of the browser.
    return new Intl.NumberFormat(LANGUAGE, {
      style: 'currency',
      currency: currencyCode,
      maximumFractionDigits: 2,
    }).format(amount as Intl.StringNumericLiteral);
  } catch {
    // A code that is no currency.
    return `${amount} ${currencyCode}`;
  }
};

/** How much lower a price is, as a percentage; undefined where it is not. */
export const reduction = (price: Money, listPrice: Money | null): string | undefined => {
  const share = listPrice ? 1 - Number(price.amount) / Number(listPrice.amount) : 0;
  return share > 0 ? new Intl.NumberFormat(LANGUAGE, { style: 'percent' }).format(-share) : undefined;
};

export const count = (value: number): string => new Intl.NumberFormat(LANGUAGE).format(value);

const DATE = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium' });
const MOMENT = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' });

/** A day in the visitor's time zone. */
export const day = (iso: string): HTMLTimeElement => element('time', { datetime: iso }, DATE.format(new Date(iso)));

/** A day and a time in the visitor's time zone. */
export const moment = (iso: string): HTMLTimeElement =>
  element('time', { datetime: iso }, MOMENT.format(new Date(iso)));

const WORDS: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' };

/** A value of an attribute: a boolean in a word, anything else as it is. */
export const attributeText = (value: string): string => say(WORDS[value] ?? value);
