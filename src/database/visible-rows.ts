import { getDatamodel } from './generated/pothos.ts';

/** Which rows of a model exist for a client, in the forms that reads of Prisma need. */
export interface PrismaRule<Row = never> {
  /** A condition for `where`. */
  readonly where: (now: Date) => object;
  /** What {@link holds} needs of a row, as `select` has it. */
  readonly columns: Readonly<Record<string, unknown>>;
  readonly holds: (row: Row, now: Date) => boolean;
}

/** Which rows of a table are visible at a time, in every form that is needed. */
export interface Rule<Row> extends PrismaRule<Row> {
  /** A condition. @param alias of the table @param now an SQL expression */
  readonly sql: (alias: string, now: string) => string;
  /** When a row next becomes visible or invisible by time alone: an SQL expression, null for never. @param after one, too */
  readonly nextChangeSql: (after: string) => string;
}

/** The rules of one model. */
export interface VisibleBy {
  /** For what is found by its key, or by a relation of one. */
  readonly alone: PrismaRule;
  /** For all others: lists, counts, conditions. */
  readonly inLists: PrismaRule;
  /** Whether a visible row may become invisible by time alone. @default false */
  readonly mayEnd?: boolean;
}

/** By the names of the models. A model without rules has no hidden rows. */
export type VisibleRules = ReadonlyMap<string, VisibleBy>;

/** A read of Prisma's client, as its extensions see it. */
export interface Read {
  readonly model: string;
  readonly operation: string;
  readonly args: unknown;
  /** Whether the row that it finds by its key was shown before. @default false */
  readonly isFound?: boolean;
  /** Reads with these arguments, and says what is read. @throws ReadAgain */
  readonly run: (args: unknown) => Promise<unknown>;
}

type Args = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

const BY_KEY: ReadonlySet<string> = new Set(['findUnique', 'findUniqueOrThrow']);

/** Reads visible rows alone, in all that the arguments name. @throws what the read does */
export const readVisible = async (
  { model, operation, args, isFound, run }: Read,
  rules: VisibleRules,
  now: Date,
): Promise<unknown> => {
  const visible = new Visible(rules, now);
  const given = isObject(args) ? args : {};
  const isByKey = BY_KEY.has(operation);
  const rule = isByKey && !isFound ? rules.get(model)?.alone : undefined;
  const result = await run(isByKey ? visible.ofKey(model, given, rule) : visible.ofList(model, given));
  return visible.rows(model, given, rule, result);
};

/** Rewrites the arguments of a read of Prisma's, and what it gives. */
class Visible {
  readonly #rules: VisibleRules;
  readonly #now: Date;

  constructor(rules: VisibleRules, now: Date) {
    this.#rules = rules;
    this.#now = now;
  }

  /** Arguments that read, count or group several rows. */
  ofList(model: string, given: Args): Args {
    const args = this.#ofRow(model, given, undefined);
    this.#checkOrder(model, given.orderBy);
    const where = this.#listed(model, given.where);
    return where === undefined ? args : { ...args, where };
  }

  /** Arguments that find a row. @param rule to which it has to be compared */
  ofKey(model: string, given: Args, rule: PrismaRule | undefined): Args {
    return { ...this.#ofRow(model, given, rule), where: this.#filter(model, given.where) };
  }

  /**
   * The rows that a client sees of those that Prisma gives: to-one relations, and what was found by its key, are compared here. They are copied:
   * several calls may have been given the same one.
   * @param given the arguments of the caller
   * @param rule to which they have to be compared
   */
  rows(model: string, given: Args, rule: PrismaRule | undefined, result: unknown): unknown {
    // Nothing of these rows is to be compared.
    if (!rule && !isObject(given.select) && !isObject(given.include)) return result;
    if (Array.isArray(result)) return result.map((row) => this.rows(model, given, rule, row));
    if (!isObject(result)) return result;
    const chained = chainedRelation(model, given, result);
    if (chained) {
      // The row in between is not there to be compared.
      if (rule)
        throw new Error(
          'A relation of a row that may be hidden is read by include or select, not by a chain of calls.',
        );
      return this.#related(chained, given, result);
    }
    if (rule && !rule.holds(result as never, this.#now)) return null;
    const row: Record<string, unknown> = { ...result };
    for (const relation of relationsOf(model)) {
      const { name } = relation;
      if (name in result) row[name] = this.#related(relation, given, result[name]);
    }
    for (const [name] of notAskedFor(model, given, rule)) delete row[name];
    return row;
  }

  #related({ name, type, isList }: Relation, { select, include }: Args, result: unknown): unknown {
    const given = (isObject(select) ? select : isObject(include) ? include : {})[name];
    const rule = isList ? undefined : this.#rules.get(type)?.alone;
    return this.rows(type, isObject(given) ? given : {}, rule, result);
  }

  /** What a read selects of each row. @param rule to which the row has to be compared */
  #ofRow(model: string, given: Args, rule: PrismaRule | undefined): Args {
    const args: Record<string, unknown> = { ...given };
    for (const kind of ['select', 'include']) {
      const selection = given[kind];
      if (!isObject(selection)) continue;
      args[kind] = Object.fromEntries(
        Object.entries(selection).map(([name, value]) => [name, this.#selected(model, name, value)]),
      );
    }
    for (const [name, value] of notAskedFor(model, given, rule)) {
      const kind = isObject(given.select) ? 'select' : relationOf(model, name) ? 'include' : 'omit';
      args[kind] = { ...(args[kind] as Args | undefined), [name]: kind === 'omit' ? false : value };
    }
    return args;
  }

  #selected(model: string, name: string, value: unknown): unknown {
    if (!value) return value;
    if (name === '_count') return this.#counted(model, value);
    const relation = relationOf(model, name);
    if (!relation) return value;
    const { type, isList } = relation;
    const given = isObject(value) ? value : {};
    const args = isList ? this.ofList(type, given) : this.#ofRow(type, given, this.#rules.get(type)?.alone);
    return Object.keys(args).length > 0 ? args : true;
  }

  /** Numbers of related rows. `_count` of `aggregate` is no part of what is selected, and stays as it is. */
  #counted(model: string, value: unknown): unknown {
    const lists = relationsOf(model).filter(({ isList }) => isList);
    const select = isObject(value) ? value.select : Object.fromEntries(lists.map(({ name }) => [name, true]));
    if (!isObject(select)) return value;
    const counts = Object.entries(select).map(([name, each]) => {
      const type = each ? relationOf(model, name)?.type : undefined;
      const where = type && this.#listed(type, isObject(each) ? each.where : undefined);
      return [name, where === undefined ? each : { where }];
    });
    return { select: Object.fromEntries(counts) };
  }

  /** A condition that visible rows alone meet. */
  #listed(model: string, where: unknown): unknown {
    const filter = this.#filter(model, where);
    const rule = this.#rules.get(model)?.inLists;
    return rule ? { AND: [filter ?? {}, rule.where(this.#now)] } : filter;
  }

  /** A condition in which hidden rows of relations count for nothing. */
  #filter(model: string, where: unknown): unknown {
    if (Array.isArray(where)) return where.map((each) => this.#filter(model, each));
    if (!isObject(where)) return where;
    const filter: Record<string, unknown> = {};
    const further: object[] = [];
    for (const [key, value] of Object.entries(where)) {
      const relation = relationOf(model, key);
      if (CONNECTIVES.has(key)) filter[key] = this.#filter(model, value);
      else if (!relation || value === undefined) filter[key] = value;
      else if (relation.isList) filter[key] = this.#ofMany(relation.type, value);
      else further.push(...this.#ofOne(key, relation.type, value));
    }
    return further.length > 0 ? { ...filter, AND: [filter.AND ?? [], further].flat() } : filter;
  }

  #ofMany(type: string, value: unknown): unknown {
    if (!isObject(value)) return value;
    const rule = this.#rules.get(type)?.inLists;
    const filters = Object.entries(value).map(([quantifier, where]) => {
      if (where === undefined) return [quantifier, where];
      if (quantifier !== 'every') return [quantifier, this.#listed(type, where)];
      const every = this.#filter(type, where);
      return [quantifier, rule ? { OR: [{ NOT: rule.where(this.#now) }, every] } : every];
    });
    return Object.fromEntries(filters);
  }

  #ofOne(name: string, type: string, value: unknown): object[] {
    const rule = this.#rules.get(type)?.alone.where(this.#now);
    const filters = isObject(value) && ('is' in value || 'isNot' in value) ? value : { is: value };
    return Object.entries(filters).flatMap(([kind, where]) => {
      if (where === undefined) return [];
      const filter = this.#filter(type, where);
      if (!rule) return [{ [name]: { [kind]: filter } }];
      if (filter !== null) return [{ [name]: { [kind]: { AND: [filter, rule] } } }];
      const isShown = { [name]: { is: rule } };
      return [kind === 'is' ? { NOT: isShown } : isShown];
    });
  }

  /** @throws Error where rows are to be sorted by how many others they have, of which some may be hidden: Prisma takes no condition there */
  #checkOrder(model: string, orderBy: unknown): void {
    if (Array.isArray(orderBy)) for (const each of orderBy) this.#checkOrder(model, each);
    else if (isObject(orderBy)) {
      for (const [name, value] of Object.entries(orderBy)) {
        const relation = relationOf(model, name);
        if (!relation) continue;
        if (relation.isList && this.#rules.has(relation.type))
          throw new Error(
            `${model} cannot be sorted by the number of its ${name}, because hidden ones would count: use prismaWithHidden.`,
          );
        this.#checkOrder(relation.type, value);
      }
    }
  }
}

const CONNECTIVES: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT']);

/** The columns that a rule needs and the caller has not asked for, as `select` has them. */
const notAskedFor = (model: string, { select, include, omit }: Args, rule: PrismaRule | undefined) =>
  Object.entries(rule?.columns ?? {}).filter(([name]) => {
    if (isObject(select)) return !select[name];
    if (relationOf(model, name)) return !(isObject(include) && include[name]);
    return isObject(omit) && omit[name];
  });

/** `findUnique(…).category()`: Prisma selects a relation alone, and gives it in the place of the row. */
const chainedRelation = (model: string, { select }: Args, result: Row): Relation | undefined => {
  const [name, ...others] = isObject(select) ? Object.keys(select) : [];
  return name !== undefined && others.length === 0 && !(name in result) ? relationOf(model, name) : undefined;
};

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A relation as the datamodel of Prisma has it. */
interface Relation {
  readonly name: string;
  /** The model that it leads to. */
  readonly type: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** Both sides of a relation have it. */
  readonly relationName?: string | undefined;
}

const RELATIONS: ReadonlyMap<string, readonly Relation[]> = new Map(
  Object.entries(getDatamodel().datamodel.models).map(([model, { fields }]) => [
    model,
    fields.filter(({ kind }) => kind === 'object'),
  ]),
);

/** The relations of a model. */
export const relationsOf = (model: string): readonly Relation[] => RELATIONS.get(model) ?? [];

const relationOf = (model: string, name: string): Relation | undefined =>
  relationsOf(model).find((relation) => relation.name === name);
