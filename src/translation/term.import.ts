import { InvalidValueError, type Parse } from '../import/fields/parse.ts';
import { longText, shortText } from '../import/fields/values.ts';
import { field, type ImportKind, required } from '../import/kind.ts';
import { STAGE } from '../import/write/stage.ts';

/** The code of a language that is configured, and not that of the names themselves. */
const language: Parse<string> = (value, { languages } = {}) => {
  const found = languages?.find(shortText(100)(value).replaceAll('_', '-'));
  if (found && !found.isDefault) return found.code;
  const others = languages?.all.flatMap(({ code, isDefault }) => (isDefault ? [] : [code])) ?? [];
  throw new InvalidValueError(
    others.length > 0
      ? `must be one of ${others.join(', ')}, as LANGUAGES has them`
      : 'is not in LANGUAGES, which has no other',
  );
};

const IS_SAME = 't.language = s.language and t.term = s.term';

/** What names are called in a language. A label has no id: its language and its name are its key. */
export const termImport: ImportKind = {
  table: 'term_translation',
  plural: 'terms',
  key: 'term',
  identity: { isSame: 'other.language = s.language and other.term = s.term', isFound: IS_SAME },
  isRow: IS_SAME,
  fields: {
    language: field('language', 'text', language, required),
    term: field('term', 'text', shortText(600), required),
    // A label without a text is none.
    text: field('text', 'text', longText, { cleared: `''`, assumed: () => `''` }),
  },
  native: {
    summary: 'terms: what tags, options, attributes and their values are called in a language',
    needs: 'language, term and text',
    recognises: (hasAny) => hasAny('language') && hasAny('term') && hasAny('text'),
  },
  write: {
    find: ({ client }) => client.query(`update ${STAGE} s set target_id = 0 from term_translation t where ${IS_SAME}`),
  },
};
