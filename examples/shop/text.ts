const MARKUP = /<[a-z/!][^>]*>|&#?\w+;/i;

/** A tag with its attributes, of which none is of use here: the browser would complain of those that hold scripts. */
const TAG = /<(\/?[a-z][\w-]*)(?:"[^"]*"|'[^']*'|[^'">])*>/gi;

/** Elements that begin on a line of their own. */
const BLOCKS = 'address,article,blockquote,dd,div,dl,dt,figure,h1,h2,h3,h4,h5,h6,hr,li,ol,p,pre,section,table,tr,ul';

/**
 * A text of the catalogue without markup. Many back offices write HTML into descriptions. What the parser makes of it is never put into the
 * page, so nothing in it runs and nothing is loaded.
 */
export const plainText = (text: string): string => {
  if (!MARKUP.test(text)) return text;
  const { body } = new DOMParser().parseFromString(text.replaceAll(TAG, '<$1>'), 'text/html');
  for (const unread of body.querySelectorAll('script, style, template, noscript, iframe, object')) unread.remove();
  for (const lineBreak of body.querySelectorAll('br')) lineBreak.replaceWith('\n');
  for (const block of body.querySelectorAll(BLOCKS)) {
    if (block.localName === 'li') block.prepend('• ');
    block.before('\n');
    block.after('\n');
  }
  return (body.textContent ?? '')
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
};
