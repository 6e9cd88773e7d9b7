-- A statement is notified product by product as far as 20,000 rows, and not only 200, those before and after it counted each, and a transaction as far
-- as 40,000: the index of products reads 10,000 again in about a second, and a million, as it must after "any product may have changed", in a minute.

create or replace function vitrine_notify_products() returns trigger
language plpgsql
as $$
declare
  told integer := coalesce(nullif(current_setting('vitrine.products_told', true), ''), '0')::integer;
  changed record;
begin
  -- No more rows are read than are notified one by one. What is published while the transaction runs counts as yet to come.
  if tg_op = 'INSERT' then
    select count(*) as rows, array_agg(id) as ids, array_agg(category_id) as category_ids,
      min(published_at) filter (where status = 'ON_SALE' and published_at > now() - interval '1 second') as published_at
    into changed
    from (select id, category_id, status, published_at from new_rows limit 20001) changed_row;
  elsif tg_op = 'UPDATE' then
    select count(*) as rows, array_agg(id) as ids, array_agg(category_id) as category_ids,
      min(published_at) filter (where status = 'ON_SALE' and published_at > now() - interval '1 second') as published_at
    into changed
    from (
      select id, category_id, status, published_at from new_rows
      union all
      select id, category_id, status, published_at from old_rows
      limit 20001
    ) changed_row;
  else
    select count(*) as rows, array_agg(id) as ids, array_agg(category_id) as category_ids, null::timestamptz as published_at
    into changed
    from (select id, category_id from old_rows limit 20001) changed_row;
  end if;
  if changed.rows > 0 then
    -- A transaction of very many statements is notified as one of very many rows, because each payload is sent to each gateway.
    told := told + changed.rows;
    perform set_config('vitrine.products_told', told::text, true);
    if changed.rows > 20000 or told > 40000 then
      perform pg_notify('vitrine', tg_table_name);
    else
      -- A payload has less than 8000 bytes.
      for begins in 1 .. changed.rows by 200 loop
        perform pg_notify('vitrine', concat_ws(
          ' ', tg_table_name, array_to_string(changed.ids[begins:begins + 199], ','), array_to_string(changed.category_ids[begins:begins + 199], ','),
          extract(epoch from changed.published_at)::float8 * 1000
        ));
      end loop;
    end if;
  end if;
  return null;
end
$$;
