import type { Exposure } from '../access/access.ts';
import type { Value } from './values.ts';
import type { CamelCase, VariableName, Variables } from './variables.ts';

/** `token`: only for callers with an access token. */
export type Exposed = boolean | 'token';

/** The variables of docs/configuration.md as options: in the package, `packaging/gateway-options.ts` spells them out, with what each does. */
export type VariableOptions = {
  readonly [Name in VariableName as Variables[Name] extends { readonly isProgramOnly: true }
    ? never
    : CamelCase<Name>]?: Option<Variables[Name]> | undefined;
};

type Option<Row> = Row extends { readonly value: Value<infer T> } ? ([T] extends [Exposure] ? Exposed : T) : never;
