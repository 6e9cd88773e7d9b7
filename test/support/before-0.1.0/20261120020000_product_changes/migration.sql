-- Tells the gateways which products a statement changed, at commit, on the channel `vitrine_product`: a change of one leaves what is in memory of
-- the others. The payload is `<ids> <ids of their categories>`, before and after, and after that, in milliseconds, when the next of them is
-- published. An empty one says that any product may have changed: whoever writes past the triggers can say so by `notify vitrine_product`.
--
-- A transition table, which has the rows of a statement, allows neither a list of columns nor several events:
-- https://www.postgresql.org/docs/current/sql-createtrigger.html. A statement that changed nothing tells nobody.

create function vitrine_notify_products() returns trigger
language plpgsql
as $$
declare
  told integer := coalesce(nullif(current_setting('vitrine.products_told', true), ''), '0')::integer;
  changed record;
begin
  -- Without a look at more rows than are told one by one. Who is published while the transaction runs is told as to come.
  if tg_op = 'INSERT' then
    select count(*) as rows, string_agg(id::text, ',') as ids, string_agg(category_id::text, ',') as category_ids,
      min(published_at) filter (where status = 'ON_SALE' and published_at > now() - interval '1 second') as published_at
    into changed
    from (select id, category_id, status, published_at from new_rows limit 201) changed_row;
  elsif tg_op = 'UPDATE' then
    select count(*) as rows, string_agg(id::text, ',') as ids, string_agg(category_id::text, ',') as category_ids,
      min(published_at) filter (where status = 'ON_SALE' and published_at > now() - interval '1 second') as published_at
    into changed
    from (
      select id, category_id, status, published_at from new_rows
      union all
      select id, category_id, status, published_at from old_rows
      limit 201
    ) changed_row;
  else
    select count(*) as rows, string_agg(id::text, ',') as ids, string_agg(category_id::text, ',') as category_ids, null::timestamptz as published_at
    into changed
    from (select id, category_id from old_rows limit 201) changed_row;
  end if;
  if changed.rows > 0 then
    -- A payload has less than 8000 bytes; and a transaction of very many statements is told as one of very many rows, because each payload
    -- is sent to each gateway.
    told := told + changed.rows;
    perform
      set_config('vitrine.products_told', told::text, true),
      pg_notify('vitrine_product', case
        when changed.rows <= 200 and told <= 2000
          then concat_ws(' ', changed.ids, changed.category_ids, extract(epoch from changed.published_at)::float8 * 1000)
        else ''
      end),
      -- For gateways of the version before, which do not listen to the other channel; those of this one leave it aside.
      pg_notify('vitrine', 'product');
  end if;
  return null;
end
$$;

create function vitrine_notify_all_products() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('vitrine_product', ''), pg_notify('vitrine', 'product');
  return null;
end
$$;

-- Replaced, not dropped: that would wait for everybody who reads.
create or replace trigger vitrine_notify after truncate on product
  for each statement execute function vitrine_notify_all_products();

create trigger vitrine_notify_insert after insert on product
  referencing new table as new_rows
  for each statement execute function vitrine_notify_products();

create trigger vitrine_notify_update after update on product
  referencing old table as old_rows new table as new_rows
  for each statement execute function vitrine_notify_products();

create trigger vitrine_notify_delete after delete on product
  referencing old table as old_rows
  for each statement execute function vitrine_notify_products();
