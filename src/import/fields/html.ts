import { compile } from 'html-to-text';
import { Parser } from 'htmlparser2';
import type { Value } from '../record.ts';
import { longText, type Parse, type ReadOptions } from './values.ts';

/** Elements that descriptions have. Other text in angle brackets, such as `<stdin>`, is no HTML. */
const ELEMENT =
  /<\/?(?:a|abbr|article|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|embed|figure|font|footer|form|h[1-6]|header|hr|html|i|iframe|img|input|label|li|link|main|mark|meta|object|ol|p|picture|pre|s|script|section|small|source|span|strike|strong|style|sub|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|u|ul|video)(?:\s[^>]{0,2000})?\/?>/i;
const BLOCK = /<(?:p|div|br|li|tr|h[1-6]|table|section|article)[\s/>]/i;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;
const ENTITIES = new RegExp(ENTITY, 'gi');

const compiled = (preserveNewlines: boolean): ReturnType<typeof compile> =>
  compile({
    wordwrap: false,
    preserveNewlines,
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      { selector: 'ul', options: { itemPrefix: '- ' } },
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
const toText = compiled(false);
// Without paragraphs, the line ends of the text are all it has.
const toTextWithLines = compiled(true);

/** A text that may be HTML: by default it becomes plain text, with its paragraphs, lists and tables as lines. */
export const richText: Parse = (value, { html = 'text' } = {}) => {
  const text = longText(value);
  if (html === 'keep' || !(ELEMENT.test(text) || ENTITY.test(text))) return text;
  return (BLOCK.test(text) ? toText : toTextWithLines)(text).trim();
};

/** A text that is no HTML, but in which shops store some letters as entities: `Salt &amp; Pepper`. */
export const withoutEntities = (text: string): string => text.replaceAll(ENTITIES, decoded);

const decoded = (entity: string): string => {
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part) });
  parser.end(entity);
  return text;
};

/** What a parser of texts reads, or of lists of texts, without entities; with `--html keep`, as it is. */
export const plain =
  (parse: Parse): Parse =>
  (value, options = {}) =>
    parse(plainValue(value, options), options);

/** The text without entities, or each text of a list; with `--html keep`, and other values, as they are. */
export const plainValue = (value: Value, { html }: ReadOptions): Value => {
  if (html === 'keep') return value;
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? withoutEntities(item) : item));
  return typeof value === 'string' ? withoutEntities(value) : value;
};
