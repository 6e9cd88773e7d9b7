import fc, { type GeneratorValue } from 'fast-check';
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  type GraphQLLeafType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  specifiedDirectives,
} from 'graphql';

/** What a field brings depends on where it stands and on its arguments alone, so that two executions meet the same. */
interface Source {
  readonly seed: number;
  readonly __typename: string;
}

const Colour = new GraphQLEnumType({ name: 'Colour', values: { RED: { value: 1 }, BLUE: { value: 'b' }, NONE: {} } });

const Pair = new GraphQLScalarType({
  name: 'Pair',
  serialize: (value) => {
    if (value === 13 || typeof value === 'bigint') throw new Error(`${value} is no pair`);
    return value === 12 ? null : { left: value, right: [value, '"'] };
  },
});

const Range: GraphQLInputObjectType = new GraphQLInputObjectType({
  name: 'Range',
  fields: () => ({
    least: { type: GraphQLInt, defaultValue: 3 },
    name: { type: GraphQLString },
    size: { type: new GraphQLNonNull(GraphQLInt), default: { value: 4 } },
    inner: { type: Range },
    steps: { type: new GraphQLList(GraphQLInt) },
  }),
});

const ARGUMENTS: readonly GraphQLFieldConfigArgumentMap[] = [
  {},
  {},
  { size: { type: GraphQLInt, default: { value: 2 } }, text: { type: GraphQLString } },
  { flag: { type: new GraphQLNonNull(GraphQLBoolean) }, colour: { type: Colour, defaultValue: 'b' } },
  { ids: { type: new GraphQLList(new GraphQLNonNull(GraphQLInt)) }, range: { type: Range } },
  { limit: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 5 }, ranges: { type: new GraphQLList(Range) } },
];

const LEAVES: readonly GraphQLLeafType[] = [
  ...[GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID],
  ...[Colour, Pair],
];

/** Values that the type refuses, or takes though they are not of its kind. */
const ODD_VALUES: readonly unknown[] = [
  ...[Number.NaN, 2 ** 31, '7', '', true, 1.5, 7n, [], {}, 12, 13, new Date(0), () => 7, new Error('a value')],
  ...[Symbol('s'), { toString: () => 'own' }, { toJSON: () => 'other' }],
];

const mix = (...parts: readonly (number | string)[]): number => {
  let hash = 17;
  for (const char of parts.join()) hash = Math.imul(hash ^ char.charCodeAt(0), 0x9e3779b1) ^ (hash >>> 13);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/**
 * A schema with interfaces, unions, enums, a scalar and a directive of its own, lists and non-null types, whose resolvers give values, nulls,
 * promises, iterables and errors.
 * @param faults chance in percent that a value is none of its type, or an error
 */
export const randomSchema = (g: GeneratorValue, faults: number): GraphQLSchema => {
  const chance = (percent: number): boolean => g(fc.integer, { min: 1, max: 100 }) <= percent;
  const pick = <Value>(values: readonly Value[]): Value => values[g(fc.nat, { max: values.length - 1 })] as Value;
  const upTo = (count: number): number[] => [...Array(g(fc.integer, { min: 1, max: count })).keys()];

  const rootSeed = g(fc.nat);
  let schema: GraphQLSchema;

  const completed = (type: GraphQLOutputType, seed: number): unknown => {
    const dice = (what: string, percent: number): boolean => mix(seed, what) % 1000 < percent * 10;
    if (dice('fault', faults)) return ODD_VALUES[mix(seed, 'odd') % ODD_VALUES.length];
    if (isNonNullType(type)) return dice('no value', faults) ? null : completed(type.ofType, seed);
    if (dice('null', 8)) return dice('undefined', 50) ? undefined : null;
    if (isListType(type)) {
      const items = Array.from({ length: mix(seed, 'length') % 4 }, (_, index) =>
        outcomeOf(type.ofType, mix(seed, 'item', index)),
      );
      return dice('iterable', 3) ? new Set(items) : items;
    }
    if (isObjectType(type)) return objectOf(type, seed);
    if (isAbstractType(type)) {
      const types = schema.getPossibleTypes(type);
      return objectOf(types[mix(seed, 'type') % types.length] as GraphQLObjectType, seed);
    }
    if (isEnumType(type)) return [1, 'b', 'NONE'][seed % 3];
    if (type === GraphQLBoolean) return seed % 2 === 0;
    if (type === GraphQLString || type === GraphQLID) return ['', 'text', '"\\\n\u2028é🍵', `${seed}`][seed % 4];
    return type === GraphQLFloat ? seed / 7 : seed % 1000;
  };

  const objectOf = (type: GraphQLObjectType, seed: number): Source => {
    const source = { seed, __typename: type.name };
    for (const { name, type: fieldType, resolve } of Object.values(type.getFields())) {
      if (resolve) continue;
      const get = () => outcomeOf(fieldType, mix(seed, name));
      if (mix(seed, name, 'method') % 8 === 0) Object.defineProperty(source, name, { value: get });
      else Object.defineProperty(source, name, { get });
    }
    return source;
  };

  /** A value, a promise of one, or an error, thrown or rejected. @throws it */
  const outcomeOf = (type: GraphQLOutputType, seed: number): unknown => {
    const way = mix(seed, 'way') % 100;
    const isError = mix(seed, 'error') % 1000 < faults * 10;
    if (way < 60 && !isError) return completed(type, seed);
    const promise = (way < 80 ? Promise.resolve() : Promise.resolve().then(() => {})).then(() => {
      if (isError) throw new Error(`error ${seed % 100}`);
      return completed(type, seed);
    });
    // graphql-js 17.1 waits for no promise in a list that comes after a null has reached the root.
    promise.catch(() => {});
    return promise;
  };

  const wrap = (type: GraphQLNullableOutputType): GraphQLOutputType => {
    const inner = chance(30) ? new GraphQLNonNull(type) : type;
    const items = chance(35) ? new GraphQLList(inner) : inner;
    const list = items !== inner && chance(15) ? new GraphQLList(items) : items;
    return list instanceof GraphQLNonNull || !chance(30) ? list : new GraphQLNonNull(list);
  };

  const interfaces: GraphQLInterfaceType[] = [];
  const objects: GraphQLObjectType[] = [];
  const unions: GraphQLUnionType[] = [];

  type Field = GraphQLFieldConfig<Source, unknown>;

  const randomField = (name: string): Field => {
    const composite = pick([...interfaces, ...unions, ...objects, ...objects, ...objects, ...objects]);
    const type = wrap(chance(45) ? composite : pick(LEAVES));
    return withResolver(name, { type, args: pick(ARGUMENTS) });
  };

  const withResolver = (name: string, { type, args = {} }: Field): Field => {
    const brings = (source: Source | undefined, given: object): unknown => {
      const seed = mix(source?.seed ?? rootSeed, name);
      if (mix(seed, 'throws') % 1000 < faults * 10) throw new Error(`${name} throws`);
      return outcomeOf(type, mix(seed, JSON.stringify(given)));
    };
    if (Object.keys(args).length === 0 && !name.startsWith('root') && chance(40)) return { type };
    if (!chance(3)) return { type, args, resolve: (source, given) => brings(source, given) };
    return { type, args, resolve: (source, given, _, { fieldName }) => brings(source, { given, fieldName }) };
  };

  /** The same field, or one of a narrower type. */
  const implemented = (name: string, { type, args }: Field): Field => {
    const isNarrower = !isNonNullType(type) && chance(30);
    return withResolver(name, { type: isNarrower ? new GraphQLNonNull(type) : type, args: args ?? {} });
  };

  /** The fields are drawn when first asked for, because they refer to types that are not there yet. */
  const fieldsOf = (own: readonly string[], parents: readonly GraphQLInterfaceType[]) => (): Record<string, Field> => {
    const inherited = parents.flatMap((parent) => Object.values(parent.getFields()));
    // Of several the narrowest.
    inherited.sort((one, other) => Number(isNonNullType(one.type)) - Number(isNonNullType(other.type)));
    const fields = inherited.map((field) => {
      const { name, type } = field;
      return [name, implemented(name, { type, args: field.toConfig().args })] as const;
    });
    return Object.fromEntries([...own.map((name) => [name, randomField(name)] as const), ...fields]);
  };

  for (const number of upTo(3)) {
    const name = `I${number}`;
    const own = upTo(2).map((each) => `i${number}f${each}`);
    const parents = number > 0 && chance(30) ? interfaces.slice(0, 1) : [];
    const resolveType = pick([
      undefined,
      ({ __typename }: Source) => __typename,
      async ({ __typename }: Source) => __typename,
    ]);
    interfaces.push(
      new GraphQLInterfaceType({
        name,
        interfaces: parents,
        fields: fieldsOf(own, parents),
        ...(resolveType ? { resolveType } : {}),
      }),
    );
  }
  for (const number of upTo(4)) {
    const name = `T${number}`;
    // Every interface has a type.
    const parents = interfaces.filter((each) => number === 0 || (each.getInterfaces().length === 0 && chance(40)));
    const own = upTo(4).map((each) => `f${each}`);
    const isTypeOf = ({ __typename }: Source) => __typename === name;
    objects.push(
      new GraphQLObjectType({
        name,
        interfaces: parents,
        fields: fieldsOf(own, parents),
        ...(chance(5) ? { isTypeOf } : {}),
      }),
    );
  }
  for (const number of upTo(2)) {
    const types = objects.filter(() => chance(60));
    unions.push(new GraphQLUnionType({ name: `U${number}`, types: types.length > 0 ? types : objects.slice(0, 1) }));
  }
  // Most of what it brings has to be resolved: nothing is given to the root.
  const query = new GraphQLObjectType({
    name: 'Query',
    fields: fieldsOf(
      upTo(6).map((number) => `root${number}`),
      [],
    ),
  });
  const note = new GraphQLDirective({
    name: 'note',
    locations: [DirectiveLocation.FIELD, DirectiveLocation.INLINE_FRAGMENT, DirectiveLocation.FRAGMENT_SPREAD],
  });
  schema = new GraphQLSchema({ query, types: objects, directives: [...specifiedDirectives, note] });
  return schema;
};
