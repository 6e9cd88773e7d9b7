import type { ClientBase } from 'pg';
import type { ReadOptions } from '../fields/values.ts';
import type { ImportKind } from '../kind.ts';
import { IS_GONE } from '../prune.ts';
import { type CheckContext, REFUSED, type Refused, reject } from './checks.ts';
import { createWriter, isPresent, type Range, STAGE, unfoldVariants, VARIANT_STAGE, type Writer } from './stage.ts';

/** The variants of the staged products that say theirs. They are written once the products of a range are in the catalogue. */
export interface StagedVariants extends Writer {
  /** Once, before the ranges: takes the skus that others get. */
  readonly begin: () => Promise<unknown>;
  /** Rejects products that the database refuses, with those that would have their variants. */
  readonly reject: (context: CheckContext, refused: readonly Refused[]) => Promise<number>;
  /** Deletes the variants that the products of a range do not have any more. @returns how many */
  readonly remove: (range: Range) => Promise<number>;
}

const setOwners = (client: ClientBase, { from, to }: Range): Promise<unknown> =>
  client.query(
    `update ${VARIANT_STAGE} v set owner_id = s.target_id from ${STAGE} s
     where s.ordinal between $1 and $2 and s.ordinal = v.ordinal and v.owner_id is null`,
    [from, to],
  );

/** Stages the variants of products, and rejects products with one that cannot be written. @returns undefined if no product says something of its variants */
export const stageVariants = async (
  options: CheckContext & ReadOptions & { readonly isPruning?: boolean | undefined },
  kind: ImportKind,
  all: Range,
): Promise<StagedVariants | undefined> => {
  const { client, isPruning = false } = options;
  await unfoldVariants(client, kind);
  await stageOnlyVariants(client);
  const { rowCount } = await client.query(`
    select from ${VARIANT_STAGE} union all select from ${STAGE} where variants is not null limit 1`);
  if (rowCount === 0) return undefined;
  await client.query(`create index on ${STAGE} (target_id); analyze ${STAGE} (target_id); analyze ${VARIANT_STAGE}`);
  await setOwners(client, all);
  await findVariants(client, VARIANT_STAGE, isPruning ? `${IS_GIVEN_UP} or ${IS_GONE}` : IS_GIVEN_UP);
  await settlePositions(client);
  for (const column of ['target_id', 'sku']) await client.query(`create index on ${VARIANT_STAGE} (${column})`);
  await client.query(`analyze ${VARIANT_STAGE}`);
  await rejectUnfitVariants(options);
  const { write, differing } = await createWriter(client, kind, options, VARIANT_STAGE);
  const absent = `
    from product_variant t, ${STAGE} s where s.variants is not null and t.product_id = s.target_id
      and not exists (select from ${VARIANT_STAGE} v where v.target_id = t.id)`;
  return {
    begin: async () => {
      // Those of a rejected product are written no more; the catalogue's that they stand for stay.
      await client.query(
        `update ${VARIANT_STAGE} v set ordinal = null where not exists (select from ${STAGE} s where s.ordinal = v.ordinal)`,
      );
      await freeSkus(client, VARIANT_STAGE);
    },
    reject: rejectUnfitVariants,
    differing: `${differing}
      union select ordinal from ${VARIANT_STAGE} where target_id is null and owner_id is not null
      union select s.ordinal ${absent}`,
    remove: async ({ from, to }) => {
      const gone = `select t.id ${absent} and s.ordinal between $1 and $2`;
      const { rowCount } = await client.query(`delete from product_variant where id = any (array(${gone}))`, [
        from,
        to,
      ]);
      return rowCount ?? 0;
    },
    write: async (range) => {
      await setOwners(client, range);
      return write(range);
    },
  };
};

/** The names of the options of each product in a file of variants: those of its first row, where it has none and no variants. */
const NAMES = `(
  select distinct on (p.id) p.id, case when p.option_names <> '{}' or exists (select from product_variant v where v.product_id = p.id) then p.option_names else s.option_names end as names
  from ${STAGE} s join product p on p.id = s.owner_id where s.option_names is not null order by p.id, s.ordinal)`;

/** Finds the products of a file of variants, by the column of the key, and their existing variants. Its rows then have the values in the product's order. */
export const findVariantsOfFile = async (context: CheckContext & ReadOptions): Promise<void> => {
  const { client, key = 'slug' } = context;
  await client.query(`update ${STAGE} s set owner_id = p.id from product p where p.${key}::text = s.product_id`);
  await reject(
    context,
    `delete from ${STAGE} s where owner_id is null
     returning line, record, 'product' as field, product_id as value, 'is the ${key} of no product: import the product first' as reason`,
    [],
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.owner_id and s.currency <> p.currency
     returning line, record, 'currency' as field, s.currency as value, concat('must be that of the product: ', p.currency) as reason`,
    [],
  );
  await client.query(`
    update ${STAGE} s set option_names = names, option_values = array(
      select value from unnest(s.option_names, s.option_values) named (name, value) order by array_position(names, name))
    from ${NAMES} p where p.id = s.owner_id and s.option_names <> names and s.option_names @> names and names @> s.option_names`);
  await reject(
    context,
    `delete from ${STAGE} s using ${NAMES} p where p.id = s.owner_id and s.option_names <> names
     returning line, record, 'optionValues' as field, array_to_string(s.option_names, ', ') as value,
       concat('must name the options of the product: ', array_to_string(names, ', ')) as reason`,
    [],
  );
  await findVariants(client, STAGE, 'true');
  await reject(
    context,
    `delete from ${STAGE} s using product p, product_variant t, product o
     where p.id = s.owner_id and t.id = s.target_id and o.id = t.product_id and o.currency <> p.currency and ${unsaidOf('t')} is not null
     returning line, record, ${unsaidOf('t')} as field, '' as value, ${isIn('o.currency')} as reason`,
    [],
  );
};

/** Which of its prices a staged row does not say of a stored one, which would keep the amount in another currency; null if it says both. */
const unsaidOf = (stored: string): string => `
  case when not ${isPresent('price')} then 'price'
    when not ${isPresent('listPrice')} and (${stored}.list_price is not null or 'listPrice' = any (s.if_new)) then 'listPrice' end`;

const isIn = (currency: string): string => `concat('is missing, and the stored one is in ', ${currency})`;

/** Before the variants of a range of a file are written: gives products the names of their options. */
export const nameOptions = (client: ClientBase, { from, to }: Range): Promise<unknown> =>
  client.query(
    `update product p set option_names = s.option_names
     from ${STAGE} s where s.ordinal between $1 and $2 and p.id = s.owner_id and p.option_names <> s.option_names`,
    [from, to],
  );

/**
 * What the database would refuse, row by row: a new variant without a price, and a sku that another variant keeps; and what would give the
 * price of a variant another currency. The variants of a rejected product keep their skus, too; those that it would get stay where they are.
 */
const rejectUnfitVariants = (context: CheckContext, refused: readonly Refused[] = []): Promise<number> =>
  reject(
    context,
    `with recursive faults (ordinal, place, line, record, field, value, reason) as (
       select ordinal, 0, s.line, s.record, field, value, reason from ${REFUSED} join ${STAGE} s using (ordinal)
       union all
       select ordinal, place, line, record, 'price', '', 'is missing, and the variant is new'
       from ${VARIANT_STAGE} s where target_id is null and not ${isPresent('price')}
       union all
       select s.ordinal, s.place, s.line, s.record, ${unsaidOf('t')}, '', ${isIn('p.currency')}
       from ${VARIANT_STAGE} s join ${STAGE} g on g.ordinal = s.ordinal left join product o on o.id = g.target_id
         join product_variant t on t.id = s.target_id join product p on p.id = t.product_id
       where g.variants is not null and ${unsaidOf('t')} is not null and coalesce(g.currency, o.currency) <> p.currency
       union all
       select s.ordinal, s.place, s.line, s.record, 'sku', s.sku, format('is that of a variant of the product "%s"', p.slug)
       from ${VARIANT_STAGE} s join product_variant t on t.sku = s.sku and t.id is distinct from s.target_id join product p on p.id = t.product_id
       where not ${IS_GIVEN_UP} and not exists (select from ${VARIANT_STAGE} o where o.target_id = t.id)
       union all
       select ordinal, place, line, record, 'sku', sku, 'is that of a variant of another product in the file'
       from (
         select s.*, first_value(s.ordinal) over (partition by s.sku order by t.sku is distinct from s.sku, s.ordinal) as first
         from ${VARIANT_STAGE} s left join product_variant t on t.id = s.target_id where s.sku is not null) s
       where ordinal <> first),
     rejected as (
       select * from faults
       union
       select also.ordinal, also.place, also.line, also.record, 'sku', also.sku, also.reason from rejected r cross join lateral (
         select s.ordinal, s.place, s.line, s.record, s.sku, format('is that of a variant of the product "%s"', p.slug) as reason
         from ${STAGE} g join product p on p.id = g.target_id join product_variant t on t.product_id = p.id
           join ${VARIANT_STAGE} s on s.sku = t.sku and s.ordinal <> g.ordinal
         where g.ordinal = r.ordinal
         union all
         select g.ordinal, 0, g.line, g.record, s.sku, 'is to go to another product, which is rejected'
         from ${VARIANT_STAGE} s join product_variant t on t.id = s.target_id and t.sku = s.sku join product p on p.id = t.product_id
           join ${STAGE} g on g.target_id = p.id and g.ordinal <> s.ordinal and g.currency <> p.currency
         where s.ordinal = r.ordinal) also)
     delete from ${STAGE} s using (select distinct on (ordinal) * from rejected order by ordinal, place) f where f.ordinal = s.ordinal
     returning f.line, f.record, f.field, f.value, f.reason`,
    [JSON.stringify(refused)],
  );

/** Names of options, and prices, without variants have to fit those of the catalogue. */
export const rejectUnfitProducts = async (context: CheckContext): Promise<void> => {
  await reject(
    context,
    `delete from ${STAGE} s where variants is null and ${isPresent('optionNames')} and exists (
       select from product_variant v where v.product_id = s.target_id and cardinality(v.option_values) <> cardinality(s.option_names))
     returning line, record, 'optionNames' as field, array_to_string(option_names, ', ') as value,
       'has another number of options than the variants of the product: say the variants, too' as reason`,
    [],
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.target_id and variants is null and s.currency <> p.currency
       and exists (select from product_variant v where v.product_id = p.id and v.option_values <> '{}')
     returning line, record, 'currency' as field, s.currency as value,
       format('is not that of the variants of the product, which is %s: say the variants, too', p.currency) as reason`,
    [],
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.target_id and coalesce(json_array_length(variants), 0) = 0
       and s.currency <> p.currency and ${unsaidOf('p')} is not null
     returning line, record, ${unsaidOf('p')} as field, '' as value, ${isIn('p.currency')} as reason`,
    [],
  );
};

/** The prices and the stock of a product whose variants the file does not say are those of its variant without options, if it has no other. */
const stageOnlyVariants = async (client: ClientBase): Promise<void> => {
  await client.query(`
    insert into ${VARIANT_STAGE} (ordinal, place, line, record, present, price, list_price, stock)
    select s.ordinal, 1, s.line, s.record, said.fields || 'product'::text, s.price, s.list_price, s.stock
    from ${STAGE} s join product_variant t on t.product_id = s.target_id and t.option_values = '{}'
      cross join lateral (
        select array_agg(field) as fields from unnest(s.present) field where field in ('price', 'listPrice', 'stock')) said
    where s.variants is null and said.fields is not null`);
};

/** The product of the variant `t` is in the file, with all its variants, and is not cut off there. */
const IS_GIVEN_UP = `exists (
  select from ${STAGE} g where g.target_id = t.product_id and g.variants is not null and g.mark is distinct from 'unterminated')`;

/**
 * Finds the existing variants of staged ones, and notes their ids: those of the same option values, else those of the same sku.
 * @param mayMove the condition that a variant `t` of another product becomes one of this
 */
const findVariants = async (client: ClientBase, stage: string, mayMove: string): Promise<void> => {
  const hasValues = isPresent('optionValues');
  await client.query(`
    update ${stage} s set target_id = t.id from product_variant t
    where t.product_id = s.owner_id and t.option_values = coalesce(s.option_values, '{}') and (${hasValues} or s.sku is null)`);
  await client.query(`
    update ${stage} s set target_id = found.id
    from (
      select distinct on (t.id) t.id, s.ordinal, s.place from ${stage} s join product_variant t on t.sku = s.sku
      where s.target_id is null and (t.product_id = s.owner_id or ${hasValues} and (${mayMove}))
        and not exists (select from ${stage} o where o.target_id = t.id)
      order by t.id, t.product_id is distinct from s.owner_id, s.ordinal desc, s.place) found
    where found.ordinal = s.ordinal and found.place is not distinct from s.place`);
};

/** Variants whose file has no positions keep theirs, unless one is new or their order is another. */
const settlePositions = async (client: ClientBase): Promise<void> => {
  await client.query(`
    with placed as (
      select s.ordinal, t.id is null or (t.position, t.id) < lag((t.position, t.id)) over (partition by s.ordinal order by s.place) as is_moved
      from ${VARIANT_STAGE} s left join product_variant t on t.id = s.target_id)
    update ${VARIANT_STAGE} s set position = place, present = present || 'position'::text
    where not ${isPresent('position')} and ordinal in (select ordinal from placed where is_moved)`);
};

/** Takes skus from variants that other staged ones get, at whatever place of the file. */
export const freeSkus = (client: ClientBase, stage: string): Promise<unknown> =>
  client.query(
    `update product_variant t set sku = null from ${stage} s, ${stage} o
     where s.ordinal is not null and o.ordinal is not null and t.id = s.target_id and o.sku = t.sku and o.target_id is distinct from t.id`,
  );
