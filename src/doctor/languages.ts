import { oneRow } from '../database/connection.ts';
import { Languages } from '../language/languages.ts';
import { type Check, type Finding, ok, warn } from './finding.ts';
import { canRead } from './tables.ts';

const TRANSLATED = ['product', 'category', 'notice'];

/** Whether translations are in a language that answers can be in, and the slugs that lead to a product or category lead to no other. */
export const checkLanguages: Check = async (examined) => {
  const { client, config } = examined;
  if (!(await canRead(examined, ...TRANSLATED, 'term_translation'))) return [];
  const { all, areConfigured } = new Languages(config.languages);
  const shown = new Set(all.flatMap(({ fallBacks = [] }) => fallBacks));
  const keys = TRANSLATED.map(
    (table) => `select jsonb_object_keys(translations) as language from ${table} where translations <> '{}'`,
  );
  const { rows } = await client.query<{ language: string }>(
    `${keys.join(' union ')} union select language from term_translation order by language`,
  );
  const others = rows.map(({ language }) => language).filter((language) => !shown.has(language));
  const findings: Finding[] = [];
  if (!areConfigured && others.length > 0)
    findings.push(ok('languages', `translations in ${others.join(', ')} are not shown: LANGUAGES is not set`));
  else if (others.length > 0) {
    const message = `translations in ${others.join(', ')} are never shown: LANGUAGES is ${config.languages.join(',')}`;
    const remedy = `Add them to LANGUAGES, or take them out: "update product set translations = translations - '${others[0]}'", and likewise category and notice; "delete from term_translation where language = '${others[0]}'".`;
    findings.push(warn('languages', message, remedy));
  } else if (areConfigured)
    findings.push(ok('languages', `${config.languages.join(', ')}: all translations are shown`));
  return [...findings, ...(await takenAliases(client))];
};

/** Slugs beside a row's own that another row has for its own, which wins. */
const takenAliases = async (client: Parameters<Check>[0]['client']): Promise<Finding[]> => {
  const taken = ['product', 'category'].map(
    (kind) =>
      `select a.*, t.id as owner from slug_alias a join ${kind} t on t.slug = a.slug and t.id <> a.id where a.kind = '${kind}'`,
  );
  const { count, first } = await oneRow<{ count: number; first: string | null }>(
    client,
    `select count(*)::int as count, min(format('"%s" of %s %s%s is that of %s', slug, kind, id, ' in ' || language, owner)) as first
     from (${taken.join(' union all ')}) taken`,
  );
  if (first === null) return [];
  const message = `${count} ${count === 1 ? 'slug leads' : 'slugs lead'} elsewhere, because another row has it for its own: ${first}`;
  return [warn('slugs', message, 'Give the translation, or the other row, another slug.')];
};
