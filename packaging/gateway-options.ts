import { camelCase, GROUPS, ROWS, type Variable } from '../src/config/variables.ts';

/**
 * The package's declarations of src/config/gateway-options.ts: the same types spelt out, so that an editor shows what each option does, and the
 * declarations of nothing else are needed.
 */
export const gatewayOptions = (): string => {
  const options = GROUPS.map(({ rows }) => rows.filter(([, { isProgramOnly }]) => !isProgramOnly).map(toOption)).filter(
    (group) => group.length > 0,
  );
  return `/** \`token\`: only for callers with an access token. */
export type Exposed = boolean | 'token';

/** The variables of docs/configuration.md as options. What concerns the socket (port, time limits, rate limit) is left to the host. */
export interface VariableOptions {
${options.map((group) => group.join('\n')).join('\n\n')}
}
`;
};

const UNITS = { MB: 'megabytes', ms: 'milliseconds', s: 'seconds' };

const toOption = ([name, row]: readonly [string, Variable]): string => {
  const { value, description } = row;
  const text = inOptions(value.unit ? `${description} In ${UNITS[value.unit]}.` : description);
  const lines = [...(text.match(/\S.{0,140}(?=\s|$)/g) ?? []), `@default ${optionDefault(row)}`];
  return `  /**\n${lines.map((line) => `   * ${line}\n`).join('')}   */\n  readonly ${camelCase(name)}?: ${value.optionType} | undefined;`;
};

const optionDefault = ({ default: preset, libraryDefault = preset, whenUnset, value }: Variable): string => {
  const isExposed = value.optionType === 'Exposed';
  if (whenUnset !== undefined) return inOptions(isExposed ? whenUnset.replaceAll('`on`', '`true`') : whenUnset);
  if (isExposed) return String(libraryDefault === 'on');
  return value.optionType === 'number' || value.optionType === 'boolean' ? `${libraryDefault}` : `'${libraryDefault}'`;
};

/** A text with options in the place of variables: {@link databasePooler} for `DATABASE_POOLER`, and `databasePooler: 'session'` for `DATABASE_POOLER=session`. */
const inOptions = (markdown: string): string =>
  ROWS.reduce(
    (text, [name]) =>
      text
        .replaceAll(`\`${name}\``, `{@link ${camelCase(name)}}`)
        .replaceAll(new RegExp(`\`${name}=(\\w+)\``, 'g'), `\`${camelCase(name)}: '$1'\``),
    markdown,
  );
