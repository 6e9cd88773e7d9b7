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
}

interface VisibleRead {
  /** The arguments with which Prisma finds visible rows alone, as far as they can say it. */
  readonly args: Args;
  /** Makes the rows that the caller asked for of those that Prisma gives: relations of one, and what was found by its key, are compared here. */
  readonly show: (result: unknown) => unknown;
}

type Args = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

/** What is done to the rows of a model that a read gives. */
interface RowPlan {
  /** Without: every row is visible. */
  readonly rule: PrismaRule | undefined;
  readonly relations: ReadonlyMap<string, RowPlan>;
  /** Columns that the rule needs and the caller has not asked for. */
  readonly added: readonly string[];
}

const BY_KEY: ReadonlySet<string> = new Set(['findUnique', 'findUniqueOrThrow']);

/** Makes a read show visible rows alone, in all that its arguments name. */
export const visibleRead = ({ model, operation, args, isFound }: Read, rules: VisibleRules, now: Date): VisibleRead => {
  const visible = new VisibleArguments(rules, now);
  const given = isObject(args) ? args : {};
  const rule = isFound ? undefined : rules.get(model)?.alone;
  const { args: own, plan } = BY_KEY.has(operation) ? visible.ofKey(model, given, rule) : visible.ofList(model, given);
  return { args: own, show: (result) => shown(result, plan, own, now) };
};

/** Rewrites arguments of Prisma's, of one read. */
class VisibleArguments {
  readonly #rules: VisibleRules;
  readonly #now: Date;

  constructor(rules: VisibleRules, now: Date) {
    this.#rules = rules;
    this.#now = now;
  }

  /** Arguments that read, count or group several rows. */
  ofList(model: string, given: Args): { args: Args; plan: RowPlan } {
    const { args, plan } = this.#ofRow(model, given, undefined);
    this.#checkOrder(model, args.orderBy);
    const where = this.#listed(model, args.where);
    return { args: where === undefined ? args : { ...args, where }, plan };
  }

  /** Arguments that find a row. @param rule to which it has to be compared */
  ofKey(model: string, given: Args, rule: PrismaRule | undefined): { args: Args; plan: RowPlan } {
    const { args, plan } = this.#ofRow(model, given, rule);
    return { args: { ...args, where: this.#filter(model, args.where) }, plan };
  }

  /** What a read selects of each row. @param rule to which the row has to be compared */
  #ofRow(model: string, given: Args, rule: PrismaRule | undefined): { args: Args; plan: RowPlan } {
    const relations = new Map<string, RowPlan>();
    const args: Record<string, unknown> = { ...given };
    for (const kind of ['select', 'include']) {
      const selection = given[kind];
      if (!isObject(selection)) continue;
      args[kind] = Object.fromEntries(
        Object.entries(selection).map(([name, value]) => [name, this.#selected(model, name, value, relations)]),
      );
    }
    return { args, plan: { rule, relations, added: rule ? addColumns(model, args, rule.columns) : [] } };
  }

  #selected(model: string, name: string, value: unknown, plans: Map<string, RowPlan>): unknown {
    if (!value) return value;
    if (name === '_count') return this.#counted(model, value);
    const relation = relationOf(model, name);
    if (!relation) return value;
    const { type, isList } = relation;
    const given = isObject(value) ? value : {};
    const { args, plan } = isList ? this.ofList(type, given) : this.#ofRow(type, given, this.#rules.get(type)?.alone);
    if (isEffective(plan)) plans.set(name, plan);
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

/** Adds to a selection what a rule needs. @returns the names of what was added */
const addColumns = (model: string, args: Record<string, unknown>, columns: PrismaRule['columns']): string[] => {
  const { select, include, omit } = args;
  const added: string[] = [];
  for (const [name, value] of Object.entries(columns)) {
    if (isObject(select)) {
      if (select[name]) continue;
      args.select = { ...(args.select as Args), [name]: value };
    } else if (relationOf(model, name)) {
      if (isObject(include) && include[name]) continue;
      args.include = { ...(args.include as Args | undefined), [name]: value };
    } else {
      if (!isObject(omit) || !omit[name]) continue;
      args.omit = { ...(args.omit as Args), [name]: false };
    }
    added.push(name);
  }
  return added;
};

const isEffective = ({ rule, relations }: RowPlan): boolean => rule !== undefined || relations.size > 0;

/**
 * What a client sees of a result. Rows are copied: several calls may have been given the same one.
 * @param args with which it was read
 */
const shown = (result: unknown, plan: RowPlan, args: Args, now: Date): unknown => {
  if (!isEffective(plan) || !isObject(result)) {
    return Array.isArray(result) ? result.map((row) => shown(row, plan, args, now)) : result;
  }
  const chained = chainedRelation(result, plan, args);
  if (chained !== undefined) {
    // The row in between is not there to be compared.
    if (plan.rule)
      throw new Error('A relation of a row that may be hidden is read by include or select, not by a chain of calls.');
    const next = plan.relations.get(chained);
    return next ? shown(result, next, argsOf(args, chained), now) : result;
  }
  if (plan.rule && !plan.rule.holds(result as never, now)) return null;
  const row: Record<string, unknown> = { ...result };
  for (const [name, next] of plan.relations) row[name] = shown(row[name], next, argsOf(args, name), now);
  for (const name of plan.added) delete row[name];
  return row;
};

/** `findUnique(…).category()`: Prisma selects a relation alone, and gives it in the place of the row. @returns the name of that relation */
const chainedRelation = (result: Row, { added }: RowPlan, { select }: Args): string | undefined => {
  const [name, ...others] = isObject(select) ? Object.keys(select).filter((each) => !added.includes(each)) : [];
  return name !== undefined && others.length === 0 && !(name in result) ? name : undefined;
};

const argsOf = ({ select, include }: Args, relation: string): Args => {
  const args = (isObject(select) ? select : isObject(include) ? include : {})[relation];
  return isObject(args) ? args : {};
};

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

const { models } = getDatamodel().datamodel;

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

/** The relations of a model. */
export const relationsOf = (model: string): readonly Relation[] =>
  models[model]?.fields.filter(({ kind }) => kind === 'object') ?? [];

const relationOf = (model: string, name: string) => relationsOf(model).find((relation) => relation.name === name);
