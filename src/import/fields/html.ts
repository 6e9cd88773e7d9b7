import { compile } from 'html-to-text';
import { longText, type Parse } from './values.ts';

/** Elements that descriptions have. Other text in angle brackets, such as `<stdin>`, is no HTML. */
const ELEMENT =
  /<\/?(?:a|abbr|article|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|embed|figure|font|footer|form|h[1-6]|header|hr|html|i|iframe|img|input|label|li|link|main|mark|meta|object|ol|p|picture|pre|s|script|section|small|source|span|strike|strong|style|sub|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|u|ul|video)(?:\s[^>]{0,2000})?\/?>/i;
const BLOCK = /<(?:p|div|br|li|tr|h[1-6]|table|section|article)[\s/>]/i;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/i;

const LAYOUT = {
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
} as const;

type ToText = ReturnType<typeof compile>;
const toText: ToText = compile({ ...LAYOUT, selectors: [...LAYOUT.selectors] });
// Without paragraphs, the line ends of the text are all it has.
const toTextWithLines: ToText = compile({ ...LAYOUT, preserveNewlines: true, selectors: [...LAYOUT.selectors] });

/** A text that may be HTML: by default it becomes plain text, with its paragraphs, lists and tables as lines. */
export const richText: Parse = (value, { html = 'text' } = {}) => {
  const text = longText(value);
  if (html === 'keep' || !(ELEMENT.test(text) || ENTITY.test(text))) return text;
  return (BLOCK.test(text) ? toText : toTextWithLines)(text).trim();
};
