import fc, { type GeneratorValue } from 'fast-check';
import {
  doTypesOverlap,
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isSpecifiedDirective,
  isUnionType,
} from 'graphql';

export interface RandomQuery {
  readonly text: string;
  readonly variables: Record<string, unknown>;
}

interface Options {
  /** Chance in percent of a value that its argument refuses. */
  readonly faults: number;
  /** Fields that are left out. */
  readonly without?: (field: GraphQLField<unknown, unknown>) => boolean;
  /** Chance in percent that a selection has a directive: @skip, @include, or one that the schema adds. */
  readonly directives?: number;
}

/** Where a value stands: an argument, a field of an input object, or an item. */
type Place = Pick<GraphQLArgument, 'name' | 'type' | 'defaultValue'>;

// Some are properties of every object, where a map would not expect them.
const VARIABLE_NAMES = ['a', 'b2', 'toString', 'constructor', '__proto__', 'limit'];
const ALIASES = ['then', 'toJSON', 'constructor', '__proto__'];

/**
 * A valid query: nested lists with arguments, empty selections, aliases, fragments of the type and of those that overlap with it, variables with and
 * without defaults, fields that merge.
 */
export const randomQuery = (
  schema: GraphQLSchema,
  g: GeneratorValue,
  { faults, without = () => false, directives = 0 }: Options,
): RandomQuery => {
  const chance = (percent: number): boolean => g(fc.integer, { min: 1, max: 100 }) <= percent;
  const pick = <Value>(values: readonly Value[]): Value => values[g(fc.nat, { max: values.length - 1 })] as Value;

  const fragments: { name: string; type: string; text: string }[] = [];
  const aliases = new Map<string, string>();
  const definitions = new Map<string, string>();
  const variables: Record<string, unknown> = Object.create(null);

  const intFor = (name: string): number => {
    if (chance(faults)) return pick([0, -1, 101, 2_147_483_647]);
    return name === 'page' ? pick([1, 2, 9]) : g(fc.integer, { min: 1, max: name === 'id' ? 20 : 5 });
  };

  /** A value of the type, as JSON. */
  const valueFor = (type: GraphQLInputType, name: string): unknown => {
    if (!isNonNullType(type) && chance(10)) return null;
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const named = getNamedType(nullable);
      const item = (): unknown => {
        if (isInputObjectType(named)) return valueFor(new GraphQLNonNull(named), name);
        return named === GraphQLInt ? g(fc.integer, { min: 1, max: 7 }) : pick(['p1', 'B2', 'ö']);
      };
      // A list of keys to look up has one at least.
      const lengths = isNonNullType(type) && !chance(faults) ? [1, 2, 3] : [0, 1, 2, 3];
      const items = Array.from({ length: pick(lengths) }, item);
      // One item is a list, too.
      return items.length === 1 && chance(30) ? items[0] : items;
    }
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields()).filter((field) => isRequiredInputField(field) || chance(30));
      return Object.fromEntries(fields.map((field) => [field.name, valueFor(field.type, field.name)]));
    }
    if (isEnumType(nullable)) return pick(nullable.getValues().map((value) => value.name));
    if (nullable === GraphQLBoolean) return chance(50);
    if (String(nullable) === 'Decimal') return pick(['0', '2.50', 3]);
    if (String(nullable) === 'DateTime') return pick(['2020-01-01T00:00:00Z', '2026-01-01T00:00:00.5+01:00']);
    return nullable === GraphQLInt ? intFor(name) : pick(['p1', 'p3', 'N', 'ö', '%', '"\\', '', ' ']);
  };

  /** @param isFixed without variables, as a default is */
  const literal = (value: unknown, type: GraphQLInputType, isFixed = false): string => {
    const part = (value: unknown, { name, type, defaultValue }: Place): string =>
      isFixed || !chance(20) ? literal(value, type, isFixed) : `$${variableFor({ name, type, defaultValue })}`;
    const nullable = getNullableType(type);
    if (value === null) return 'null';
    if (isListType(nullable)) {
      const item = { name: 'item', type: nullable.ofType, defaultValue: undefined };
      return Array.isArray(value) ? `[${value.map((each) => part(each, item))}]` : literal(value, item.type, isFixed);
    }
    if (isEnumType(nullable)) return String(value);
    if (!isInputObjectType(nullable)) return JSON.stringify(value);
    const fields = nullable.getFields();
    return `{ ${Object.entries(value as object).map(([key, each]) => `${key}: ${part(each, fields[key] as Place)}`)} }`;
  };

  const variableFor = ({ name, type, defaultValue }: Place): string => {
    // Where the argument has a default, the variable may be null or absent though the argument may not.
    const mayBeNull = isNonNullType(type) && defaultValue !== undefined && chance(50);
    const variableType = mayBeNull ? type.ofType : type;
    const value = (): unknown => (mayBeNull && chance(faults) ? null : valueFor(type, name));
    const definition = `${variableType}${chance(40) ? ` = ${literal(value(), variableType, true)}` : ''}`;
    // One that was made for an argument that may be null may be null itself.
    const known = mayBeNull ? undefined : [...definitions].find(([, text]) => text === definition);
    if (known) return known[0];
    const free = VARIABLE_NAMES.find((each) => !definitions.has(each)) ?? `v${definitions.size}`;
    definitions.set(free, definition);
    const isOptional = !isNonNullType(variableType) || definition.includes('=');
    if (!isOptional || chance(60)) Object.defineProperty(variables, free, { value: value(), enumerable: true });
    return free;
  };

  const argumentsOf = ({ args }: GraphQLField<unknown, unknown>): string => {
    // A list is paged in one way, and no cursor can be guessed.
    const way = pick(['first', 'last', 'page']);
    const isFault = ({ name }: GraphQLArgument): boolean =>
      name === 'after' ||
      name === 'before' ||
      (['first', 'last', 'page', 'pageSize'].includes(name) && !name.startsWith(way));
    const texts = args.flatMap((argument) => {
      if (args.some(({ name }) => name === 'first') && isFault(argument) && !chance(faults)) return [];
      const isOptional = argument.defaultValue !== undefined || !isNonNullType(argument.type);
      if (isOptional && chance(40)) return [];
      if (chance(40)) return [`${argument.name}: $${variableFor(argument)}`];
      return [`${argument.name}: ${literal(valueFor(argument.type, argument.name), argument.type)}`];
    });
    return texts.length > 0 ? `(${texts.join(', ')})` : '';
  };

  const added = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  const condition: GraphQLArgument = { ...GraphQLSkipDirective.args[0] } as GraphQLArgument;

  const directive = (): string => {
    if (directives === 0 || !chance(directives)) return '';
    const other = chance(20) && added.length > 0 ? pick(added) : undefined;
    if (other) return ` @${other.name}`;
    return ` @${pick(['skip', 'include'])}(if: ${chance(60) ? `$${variableFor(condition)}` : chance(50)})`;
  };

  const fieldOf = (type: GraphQLCompositeType, depth: number): string => {
    const fields = Object.values(isUnionType(type) ? {} : type.getFields()).filter(
      (field) => !without(field) && (depth > 0 || !isCompositeType(getNamedType(field.type))),
    );
    const field = pick([undefined, ...fields]);
    if (!field) return (chance(50) ? '__typename' : 'typename: __typename') + directive();
    const call = field.name + argumentsOf(field);
    // The same call for a value of the same type has the same alias, and no other has it, so that equal keys always merge.
    const known = `${call} ${field.type}`;
    if (!aliases.has(known)) {
      const isFree = ![...aliases.keys()].some((each) => each.startsWith(`${field.name} `));
      const used = [...aliases.values()];
      const free = ALIASES.find((alias) => !used.includes(alias));
      const other = free !== undefined && chance(10) ? free : `_${aliases.size}`;
      aliases.set(known, call === field.name && isFree ? pick(['', `${field.name}_`, other]) : other);
    }
    const alias = aliases.get(known);
    const named = getNamedType(field.type);
    const below = isCompositeType(named) ? ` ${selectionOf(named, depth - 1)}` : '';
    return `${alias ? `${alias}: ` : ''}${call}${directive()}${below}`;
  };

  const overlaps = (type: GraphQLCompositeType, name: string): boolean => {
    const other = schema.getType(name);
    return isCompositeType(other) && doTypesOverlap(schema, type, other);
  };

  /** Of a fragment: most often the type itself. */
  const conditionFor = (type: GraphQLCompositeType): GraphQLCompositeType => {
    if (chance(50)) return type;
    return pick(
      Object.values(schema.getTypeMap()).filter((each) => isCompositeType(each) && overlaps(type, each.name)),
    ) as GraphQLCompositeType;
  };

  const selectionOf = (type: GraphQLCompositeType, depth: number): string => {
    const parts = Array.from({ length: g(fc.integer, { min: 0, max: 5 }) }, () => {
      if (depth > 0 && chance(10)) {
        const on = chance(50) ? type : conditionFor(type);
        return `...${on !== type || chance(50) ? ` on ${on.name}` : ''}${directive()} ${selectionOf(on, depth - 1)}`;
      }
      if (depth > 0 && chance(15)) {
        const known = fragments.filter((fragment) => overlaps(type, fragment.type));
        if (known.length > 0 && chance(50)) return `...${pick(known).name}${directive()}`;
        const on = conditionFor(type);
        const text = selectionOf(on, depth - 1);
        const name = `F${fragments.length}`;
        fragments.push({ name, type: on.name, text: `fragment ${name} on ${on.name} ${text}` });
        return `...${name}${directive()}`;
      }
      return fieldOf(type, depth);
    });
    return `{ ${parts.join(' ')} }`;
  };

  const queryType = schema.getQueryType();
  if (!queryType) throw new Error('the schema has no query type');
  const selection = selectionOf(queryType, 4);
  const head = [...definitions].map(([name, definition]) => `$${name}: ${definition}`).join(', ');
  const operation = `query Q${head && `(${head})`} ${selection}`;
  return { text: [operation, ...fragments.map(({ text }) => text)].join('\n'), variables };
};
