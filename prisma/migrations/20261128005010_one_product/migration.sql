-- What an update of variants costs those who write, once more: where they are all of one product, it is looked up by its key, and nothing is sorted or joined. What is done is the
-- same. Nobody waits for longer than a moment.

create or replace function vitrine_keep_products() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_nestloop = off set jit = off set plan_cache_mode = force_generic_plan
as $$
declare
  ids integer[];
  product_ids integer[];
  many record;
  unfit record := null;
  names integer;
  told integer := coalesce(nullif(current_setting('vitrine.variants_told', true), ''), '0')::integer;
begin
  if tg_op = 'INSERT' then
    select array_agg(id), array_agg(product_id) into ids, product_ids from new_rows;
  elsif tg_op = 'UPDATE' then
    select array_agg(id), array_agg(product_id) into ids, product_ids
    from (select id, product_id from new_rows union select id, product_id from old_rows) changed_row;
  else
    select array_agg(id), array_agg(product_id) into ids, product_ids from old_rows;
  end if;
  if ids is null then
    return null;
  end if;

  -- As vitrine_notify_products does.
  told := told + cardinality(ids);
  perform set_config('vitrine.variants_told', told::text, true);
  if told > 20000 then
    perform pg_notify('vitrine', concat(tg_table_name, ' oid=', tg_relid));
  else
    for begins in 1 .. cardinality(ids) by 200 loop
      perform pg_notify('vitrine', concat_ws(
        ' ', tg_table_name, array_to_string(ids[begins:begins + 199], ','), array_to_string(product_ids[begins:begins + 199], ','),
        'Infinity', concat('oid=', tg_relid)
      ));
    end loop;
  end if;
  -- A table that has another name now is not what products are kept from.
  if tg_table_name <> 'product_variant' then
    return null;
  end if;

  -- Plans are kept for as long as the search path names the same schemas, whatever these are called. Others may have functions in the schema, so that each is named with its own.
  perform set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
  if product_ids[1] = all (product_ids) then
    select pg_catalog.cardinality(option_names) into names from product where id = product_ids[1] for no key update;
    if not found then
      return null; -- It was deleted, and its variants with it.
    end if;
    -- A statement of its own, which sees what others have committed meanwhile.
    update product p set
      price = coalesce(v.price, p.price),
      stock = case when v.count = 0 then p.stock else v.stock end,
      list_price = case when v.count = 0 then p.list_price else v.list_price end
    from (
      select pg_catalog.count(*) as count, pg_catalog.min(price) as price, least(pg_catalog.sum(stock), 2147483647)::integer as stock,
        (pg_catalog.array_agg(list_price order by price, position, id))[1] as list_price
      from product_variant where product_id = product_ids[1]
    ) v
    where p.id = product_ids[1]
    returning p.id, v.count into many;
    if tg_op <> 'DELETE' then
      select product_id as id, pg_catalog.cardinality(option_values) as values, names into unfit
      from new_rows where pg_catalog.cardinality(option_values) <> names limit 1;
    end if;
  else
    -- In one order, so that two writers wait for each other and not both for the other.
    product_ids := array(select distinct pg_catalog.unnest(product_ids) order by 1);
    perform from product where id = any (product_ids) order by id for no key update;
    if not found then
      return null; -- They were deleted, and their variants with them.
    end if;

    -- A statement of its own, which sees what others have committed meanwhile.
    with kept as (
      update product p set
        price = coalesce(v.price, p.price), stock = coalesce(v.stock, p.stock),
        list_price = case when v.product_id is null then p.list_price else v.list_price end
      from pg_catalog.unnest(product_ids) as q(id) left join (
        select product_id, pg_catalog.count(*) as count, pg_catalog.min(price) as price, least(pg_catalog.sum(stock), 2147483647)::integer as stock,
          (pg_catalog.array_agg(list_price order by price, position, id))[1] as list_price
        from product_variant where product_id = any (product_ids) group by product_id
      ) v on v.product_id = q.id
      where p.id = q.id and p.id = any (product_ids)
      returning p.id, v.count
    )
    select id, count into many from kept where count > 250 limit 1;
    if tg_op <> 'DELETE' then
      select p.id, pg_catalog.cardinality(n.option_values) as values, pg_catalog.cardinality(p.option_names) as names into unfit
      from new_rows n join product p on p.id = n.product_id and p.id = any (product_ids)
      where pg_catalog.cardinality(n.option_values) <> pg_catalog.cardinality(p.option_names) limit 1;
    end if;
  end if;
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  if many.count > 250 then
    raise check_violation using
      constraint = 'product_variant_count_check',
      table = tg_table_name,
      message = format('product %s has %s variants, and may have 250', many.id, many.count);
  elsif unfit is not null then
    raise check_violation using
      constraint = 'product_variant_option_values_check',
      table = tg_table_name,
      message = format('a variant of product %s has %s option values, and the product %s option names', unfit.id, unfit.values, unfit.names);
  end if;
  return null;
end
$$;
