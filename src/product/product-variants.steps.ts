import type { ClientBase } from 'pg';
import { INT32_MAX } from '../import/fields/values.ts';
import type { ImportContext, ImportKind, Range, RangeSteps } from '../import/kind.ts';
import { INNER_STAGE, isPresent, reject, STAGE } from '../import/write/stage.ts';
import { createTableWriter } from '../import/write/writer.ts';

/**
 * Prepares what is done with the variants that products say. Those that a product has no more go before it is written, because it takes its own
 * price once it has none.
 */
export const prepareVariants = async (context: ImportContext): Promise<RangeSteps> => {
  const { client, prune } = context;
  const kind = context.kind.inner;
  if (!kind || !(await stageVariants(context, kind))) return {};
  const table = await createTableWriter(context, kind, INNER_STAGE);
  return {
    check: () => rejectUnfitVariants(context),
    begin: async () => {
      // Variants that go give their skus to those that come. Without "or", the planner joins.
      const gone = prune ? `${isAbsent()} or ${prune.isGone}` : isAbsent();
      const { rows } = await client.query<{ id: number }>(`
        select t.id from product_variant t
        where exists (select from ${INNER_STAGE} v where v.sku = t.sku) and (${gone})`);
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await client.query('update product_variant set sku = null where id = any ($1)', [ids]);
      await table.begin();
    },
    before: async (range, counts) => {
      const { rowCount } = await client.query(
        `delete from product_variant t where ${isAbsent('s.ordinal between $1 and $2')}`,
        [range.from, range.to],
      );
      counts.variants ??= { created: 0, changed: 0, unchanged: 0, deleted: 0 };
      counts.variants.deleted += rowCount ?? 0;
    },
    after: async (range, { variants }) => {
      await setOwners(client, range);
      if (variants) await table.write(range, variants);
    },
  };
};

/** The product of the variant `t` is in the file with all its variants, and `t` is none of them. */
const isAbsent = (isProduct = 'true'): string => `
  exists (select from ${STAGE} s where s.has_inner and s.target_id = t.product_id and ${isProduct})
    and not exists (select from ${INNER_STAGE} v where v.target_id = t.id)`;

/** Stages the variants of products. @returns whether a product says something of variants */
const stageVariants = async (context: ImportContext, kind: ImportKind): Promise<boolean> => {
  const { client, prune } = context;
  await leaveOutRejected(client);
  await stageOnlyVariants(client);
  const said = await client.query(`
    select from ${INNER_STAGE} union all select from ${STAGE} where has_inner limit 1`);
  if (said.rowCount === 0) return false;
  await client.query(`create index on ${STAGE} (target_id); analyze ${STAGE} (target_id); analyze ${INNER_STAGE}`);
  await setOwners(client, { from: 1, to: INT32_MAX });
  if (context.fileFormat.mayShareSkus) await leaveSkuToFirst(context, INNER_STAGE);
  await findVariants(client, INNER_STAGE);
  for (const column of ['target_id', 'sku']) await client.query(`create index on ${INNER_STAGE} (${column})`);
  await client.query(`analyze ${INNER_STAGE}`);
  await prune?.keep(kind.table, INNER_STAGE);
  return true;
};

/** Removes the variants of products that are rejected. */
const leaveOutRejected = (client: ClientBase): Promise<unknown> =>
  client.query(`delete from ${INNER_STAGE} v where not exists (select from ${STAGE} s where s.ordinal = v.ordinal)`);

const setOwners = (client: ClientBase, { from, to }: Range): Promise<unknown> =>
  client.query(
    `update ${INNER_STAGE} v set owner_id = s.target_id from ${STAGE} s
     where s.ordinal between $1 and $2 and s.ordinal = v.ordinal and v.owner_id is null`,
    [from, to],
  );

/** Where a shop lets several products or variants have one sku, the first of the file keeps it. */
export const leaveSkuToFirst = async ({ client, onWarning }: ImportContext, stage: string): Promise<void> => {
  const { rows } = await client.query<{ sku: string; line: number }>(`
    with ranked as (
      select ordinal, place, sku, line, row_number() over (partition by sku order by ordinal, place) as rank
      from ${stage} where sku is not null and not is_rejected)
    update ${stage} s set sku = null from ranked
    where rank > 1 and ranked.ordinal = s.ordinal and ranked.place is not distinct from s.place
    returning ranked.sku, ranked.line`);
  const [first] = rows.toSorted((one, other) => one.line - other.line);
  if (!first) return;
  const others = rows.length > 1 ? `, and ${rows.length - 1} more` : '';
  onWarning(`imported without a SKU, because an earlier row has it: line ${first.line} (${first.sku})${others}`);
};

/** The prices and the stock of a product whose variants the file does not say are those of its variant without options, if it has no other. */
const stageOnlyVariants = async (client: ClientBase): Promise<void> => {
  await client.query(`
    insert into ${INNER_STAGE} (ordinal, place, line, record, present, price, list_price, stock)
    select s.ordinal, 1, s.line, s.record, said.fields || 'product'::text, s.price, s.list_price, s.stock
    from ${STAGE} s join product_variant t on t.product_id = s.target_id and t.option_values = '{}'
      cross join lateral (
        select array_agg(field) as fields from unnest(s.present) field where field in ('price', 'listPrice', 'stock')) said
    where not s.has_inner and said.fields is not null`);
};

/** Finds the existing variants of staged ones, and notes their ids: those of the same option values, else those of the same sku. */
export const findVariants = async (client: ClientBase, stage: string): Promise<void> => {
  await client.query(`
    update ${stage} s set target_id = t.id from product_variant t
    where t.product_id = s.owner_id and t.option_values = coalesce(s.option_values, '{}')
      and (${isPresent('optionValues')} or s.sku is null)`);
  await client.query(`
    update ${stage} s set target_id = t.id from product_variant t
    where s.target_id is null and t.product_id = s.owner_id and t.sku = s.sku
      and not exists (select from ${stage} o where o.target_id = t.id)
      and not exists (select from ${stage} o where (o.owner_id, o.sku) = (s.owner_id, s.sku) and o.ordinal > s.ordinal)`);
};

/** Which of its prices a staged row does not say of a stored one, which would keep the amount in another currency; null if it says both. */
const unsaidOf = (stored: string): string => `
  case when not ${isPresent('price')} then 'price'
    when not ${isPresent('listPrice')} and ${stored}.list_price is not null then 'listPrice' end`;

/** Why a price is refused that keeps its amount in another currency. */
const isIn = (currency: string): string => `concat('is missing, and the stored one is in ', ${currency})`;

/** What the database would refuse of staged variants, and what would give a price another currency; as ordinal, place, line, record, field, … */
const faultsOf = (isGone: string): string[] => [
  `select ordinal, place, line, record, 'price', '', 'is missing, and the variant is new'
   from ${INNER_STAGE} s where target_id is null and not ${isPresent('price')}`,
  `select s.ordinal, s.place, s.line, s.record, ${unsaidOf('t')}, '', ${isIn('p.currency')}
   from ${INNER_STAGE} s join ${STAGE} g on g.ordinal = s.ordinal join product_variant t on t.id = s.target_id
     join product p on p.id = t.product_id
   where g.has_inner and ${unsaidOf('t')} is not null and g.currency <> p.currency`,
  // The variant that has the sku keeps it.
  `select s.ordinal, s.place, s.line, s.record, 'sku', s.sku, format('is that of a variant of the product "%s"', p.slug)
   from ${INNER_STAGE} s join product_variant t on t.sku = s.sku and t.id is distinct from s.target_id join product p on p.id = t.product_id
   where not (${isGone}) and not exists (select from ${STAGE} g where g.has_inner and g.target_id = t.product_id)
     and not exists (select from ${INNER_STAGE} o where o.target_id = t.id)`,
  `select ordinal, place, line, record, 'sku', sku, 'is that of a variant of another product in the file'
   from (
     select s.*, first_value(s.ordinal) over (partition by s.sku order by t.sku is distinct from s.sku, s.ordinal) as first
     from ${INNER_STAGE} s left join product_variant t on t.id = s.target_id where s.sku is not null) s
   where ordinal <> first`,
];

/** Rejects products with a variant that is at fault. What a rejected product keeps is at the disposal of no other. */
const rejectUnfitVariants = async (context: ImportContext): Promise<number> => {
  const { client, prune } = context;
  await leaveOutRejected(client);
  return reject(
    context,
    `with faults (ordinal, place, line, record, field, value, reason) as (${faultsOf(prune?.isGone ?? 'false').join(' union all ')})
     delete from ${STAGE} s using (select distinct on (ordinal) * from faults order by ordinal, place) f where f.ordinal = s.ordinal
     returning f.line, f.record, f.field, f.value, f.reason`,
  );
};

/** Names of options, and prices, without variants have to fit those of the catalogue. */
export const rejectUnfitProducts = async (context: ImportContext): Promise<void> => {
  await reject(
    context,
    `delete from ${STAGE} s where not has_inner and ${isPresent('optionNames')} and exists (
       select from product_variant v
       where v.product_id = s.target_id and cardinality(v.option_values) <> coalesce(cardinality(s.option_names), 0))
     returning line, record, 'optionNames' as field, array_to_string(option_names, ', ') as value,
       'has another number of options than the variants of the product: say the variants, too' as reason`,
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.target_id and not has_inner and s.currency <> p.currency
       and exists (select from product_variant v where v.product_id = p.id and v.option_values <> '{}')
     returning line, record, 'currency' as field, s.currency as value,
       format('is not that of the variants of the product, which is %s: say the variants, too', p.currency) as reason`,
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.target_id and not exists (select from ${INNER_STAGE} v where v.ordinal = s.ordinal)
       and s.currency <> p.currency and ${unsaidOf('p')} is not null
     returning line, record, ${unsaidOf('p')} as field, '' as value, ${isIn('p.currency')} as reason`,
  );
};
