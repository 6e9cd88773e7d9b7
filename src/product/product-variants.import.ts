import type { ClientBase } from 'pg';
import type { Counts, ImportKind, Range, Refused, RowWriter, WriteContext } from '../import/kind.ts';
import { REFUSED, reject } from '../import/write/checks.ts';
import { INNER_STAGE, isPresent, STAGE, unfoldInnerRows } from '../import/write/stage.ts';
import { createTableWriter, dependentRows, freeValues, type TableWriter } from '../import/write/writer.ts';

/**
 * Writes products with the variants that they say, each part of a range after the other: variants that a product has no more go first, because a
 * product takes its own price once it has none.
 * @param products writes the products alone
 */
export const withVariants = async (context: WriteContext, products: RowWriter): Promise<RowWriter> => {
  const { client, innerKind: kind } = context;
  if (!kind || !(await stageVariants(context, kind))) return products;
  const variants = await createTableWriter(context, kind, INNER_STAGE);
  return {
    begin: async () => {
      await products.begin(context);
      // Those of a rejected product are written no more; the catalogue's that they stand for stay.
      await client.query(
        `update ${INNER_STAGE} v set ordinal = null where not exists (select from ${STAGE} s where s.ordinal = v.ordinal)`,
      );
      await freeValues(client, kind, INNER_STAGE);
      return true;
    },
    write: (range) => writeRange(context, products, variants, range),
    reject: rejectUnfitVariants,
  };
};

const writeRange = async (
  context: WriteContext,
  products: RowWriter,
  variants: TableWriter,
  range: Range,
): Promise<Counts> => {
  const { client } = context;
  const gone = `select t.id ${ABSENT} and s.ordinal between $1 and $2`;
  const { rowCount: deleted } = await client.query(`delete from product_variant where id = any (array(${gone}))`, [
    range.from,
    range.to,
  ]);
  const counts = await products.write(range, context);
  await setOwners(client, range);
  return { ...counts, inner: { ...(await variants.write(range)), deleted: deleted ?? 0 } };
};

/** The variants `t` of the products `s` that say theirs, and not these. */
const ABSENT = `
  from product_variant t, ${STAGE} s where s.inner_rows is not null and t.product_id = s.target_id
    and not exists (select from ${INNER_STAGE} v where v.target_id = t.id)`;

/** Stages the variants of products, and rejects products with one that cannot be written. @returns whether a product says something of variants */
const stageVariants = async (context: WriteContext, kind: ImportKind): Promise<boolean> => {
  const { client, prune, stagedRows } = context;
  await unfoldInnerRows(client, kind);
  await stageOnlyVariants(client);
  const said = await client.query(`
    select from ${INNER_STAGE} union all select from ${STAGE} where inner_rows is not null limit 1`);
  if (said.rowCount === 0) return false;
  await client.query(`create index on ${STAGE} (target_id); analyze ${STAGE} (target_id); analyze ${INNER_STAGE}`);
  await setOwners(client, { from: 1, to: stagedRows });
  if (context.mayShareSkus) await leaveSkuToFirst(context, INNER_STAGE);
  await findVariants(client, INNER_STAGE, prune ? `${IS_GIVEN_UP} or ${prune.isGone}` : IS_GIVEN_UP);
  await settlePositions(client);
  for (const column of ['target_id', 'sku']) await client.query(`create index on ${INNER_STAGE} (${column})`);
  await client.query(`analyze ${INNER_STAGE}`);
  await rejectUnfitVariants(context);
  await prune?.keep(kind.table, INNER_STAGE);
  return true;
};

const setOwners = (client: ClientBase, { from, to }: Range): Promise<unknown> =>
  client.query(
    `update ${INNER_STAGE} v set owner_id = s.target_id from ${STAGE} s
     where s.ordinal between $1 and $2 and s.ordinal = v.ordinal and v.owner_id is null`,
    [from, to],
  );

/** Where a shop lets several products or variants have one sku, the first of the file keeps it. */
export const leaveSkuToFirst = async ({ client, onWarning }: WriteContext, stage: string): Promise<void> => {
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
    where s.inner_rows is null and said.fields is not null`);
};

/** The product of the variant `t` is in the file, with all its variants. */
const IS_GIVEN_UP = `exists (select from ${STAGE} g where g.target_id = t.product_id and g.inner_rows is not null)`;

/**
 * Finds the existing variants of staged ones, and notes their ids: those of the same option values, else those of the same sku.
 * @param mayMove the condition that a variant `t` of another product becomes one of this
 */
export const findVariants = async (client: ClientBase, stage: string, mayMove: string): Promise<void> => {
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
      from ${INNER_STAGE} s left join product_variant t on t.id = s.target_id)
    update ${INNER_STAGE} s set position = place, present = present || 'position'::text
    where not ${isPresent('position')} and ordinal in (select ordinal from placed where is_moved)`);
};

/** Which of its prices a staged row does not say of a stored one, which would keep the amount in another currency; null if it says both. */
export const unsaidOf = (stored: string): string => `
  case when not ${isPresent('price')} then 'price'
    when not ${isPresent('listPrice')} and (${stored}.list_price is not null or 'listPrice' = any (s.if_new)) then 'listPrice' end`;

/** Why a price is refused that keeps its amount in another currency. */
export const isIn = (currency: string): string => `concat('is missing, and the stored one is in ', ${currency})`;

const ofProduct = `format('is that of a variant of the product "%s"', p.slug)`;

/** What the database would refuse of staged variants, and what would give a price another currency; as ordinal, place, line, record, field, … */
const VARIANT_FAULTS = [
  `select ordinal, place, line, record, 'price', '', 'is missing, and the variant is new'
   from ${INNER_STAGE} s where target_id is null and not ${isPresent('price')}`,
  `select s.ordinal, s.place, s.line, s.record, ${unsaidOf('t')}, '', ${isIn('p.currency')}
   from ${INNER_STAGE} s join ${STAGE} g on g.ordinal = s.ordinal left join product o on o.id = g.target_id
     join product_variant t on t.id = s.target_id join product p on p.id = t.product_id
   where g.inner_rows is not null and ${unsaidOf('t')} is not null and coalesce(g.currency, o.currency) <> p.currency`,
  // The variant that has the sku keeps it.
  `select s.ordinal, s.place, s.line, s.record, 'sku', s.sku, ${ofProduct}
   from ${INNER_STAGE} s join product_variant t on t.sku = s.sku and t.id is distinct from s.target_id join product p on p.id = t.product_id
   where not ${IS_GIVEN_UP} and not exists (select from ${INNER_STAGE} o where o.target_id = t.id)`,
  `select ordinal, place, line, record, 'sku', sku, 'is that of a variant of another product in the file'
   from (
     select s.*, first_value(s.ordinal) over (partition by s.sku order by t.sku is distinct from s.sku, s.ordinal) as first
     from ${INNER_STAGE} s left join product_variant t on t.id = s.target_id where s.sku is not null) s
   where ordinal <> first`,
];

/**
 * The products that cannot be written without a rejected one `r`: those that would get the sku of one of its variants, which stay with it, and those
 * whose currency changes while a variant of theirs was to become one of the rejected product.
 */
const DEPENDENT_PRODUCTS = [
  `select s.ordinal, s.place, s.line, s.record, 'sku', s.sku, ${ofProduct}
   from ${STAGE} g join product p on p.id = g.target_id join product_variant t on t.product_id = p.id
     join ${INNER_STAGE} s on s.sku = t.sku and s.ordinal <> g.ordinal
   where g.ordinal = r.ordinal`,
  `select g.ordinal, 0, g.line, g.record, 'sku', s.sku, 'is to go to another product, which is rejected'
   from ${INNER_STAGE} s join product_variant t on t.id = s.target_id and t.sku = s.sku join product p on p.id = t.product_id
     join ${STAGE} g on g.target_id = p.id and g.ordinal <> s.ordinal and g.currency <> p.currency
   where s.ordinal = r.ordinal`,
];

/** Rejects products with a variant that is at fault, and those that depend on them; all of a product go with it. */
const rejectUnfitVariants = (context: WriteContext, refused: readonly Refused[] = []): Promise<number> => {
  const ofProducts = dependentRows(context.kind).map(
    (dependent) =>
      `select g.ordinal, 0, g.line, g.record, d.field, d.value, d.reason from (${dependent}) d join ${STAGE} g using (ordinal)`,
  );
  const dependent = [...DEPENDENT_PRODUCTS, ...ofProducts].join(' union all ');
  return reject(
    context,
    `with recursive faults (ordinal, place, line, record, field, value, reason) as (
       select ordinal, 0, s.line, s.record, field, value, reason from ${REFUSED} join ${STAGE} s using (ordinal)
       union all ${VARIANT_FAULTS.join(' union all ')}),
     rejected as (
       select * from faults
       union
       select also.* from rejected r cross join lateral (${dependent}) also (ordinal, place, line, record, field, value, reason))
     delete from ${STAGE} s using (select distinct on (ordinal) * from rejected order by ordinal, place) f where f.ordinal = s.ordinal
     returning f.line, f.record, f.field, f.value, f.reason`,
    [JSON.stringify(refused)],
  );
};

/** Names of options, and prices, without variants have to fit those of the catalogue. */
export const rejectUnfitProducts = async (context: WriteContext): Promise<void> => {
  await reject(
    context,
    `delete from ${STAGE} s where inner_rows is null and ${isPresent('optionNames')} and exists (
       select from product_variant v
       where v.product_id = s.target_id and cardinality(v.option_values) <> coalesce(cardinality(s.option_names), 0))
     returning line, record, 'optionNames' as field, array_to_string(option_names, ', ') as value,
       'has another number of options than the variants of the product: say the variants, too' as reason`,
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.target_id and inner_rows is null and s.currency <> p.currency
       and exists (select from product_variant v where v.product_id = p.id and v.option_values <> '{}')
     returning line, record, 'currency' as field, s.currency as value,
       format('is not that of the variants of the product, which is %s: say the variants, too', p.currency) as reason`,
  );
  await reject(
    context,
    `delete from ${STAGE} s using product p where p.id = s.target_id and coalesce(json_array_length(inner_rows), 0) = 0
       and s.currency <> p.currency and ${unsaidOf('p')} is not null
     returning line, record, ${unsaidOf('p')} as field, '' as value, ${isIn('p.currency')} as reason`,
  );
};
