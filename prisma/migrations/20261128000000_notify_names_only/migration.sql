-- A notification says that rows have changed, and never what they are now: anybody may notify on the channel, and two shops in two schemas of one database
-- hear each other. Each names its table by name and by oid, `product 17,18 3,4 1790000000000.5 oid=16385` or `category oid=16390`, and the gateways take only those
-- of their own tables. An oid stays when a table or its schema is renamed, also for a transaction that is under way then. No function names a schema.
--
-- Gateways of earlier versions take what they cannot read as "any row of this table may have changed".

create or replace function vitrine_notify() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('vitrine', concat(tg_table_name, ' oid=', tg_relid));
  return null;
end
$$;

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
      perform pg_notify('vitrine', concat(tg_table_name, ' oid=', tg_relid));
    else
      -- A payload has less than 8000 bytes.
      for begins in 1 .. changed.rows by 200 loop
        perform pg_notify('vitrine', concat_ws(
          ' ', tg_table_name, array_to_string(changed.ids[begins:begins + 199], ','), array_to_string(changed.category_ids[begins:begins + 199], ','),
          coalesce(extract(epoch from changed.published_at)::float8 * 1000, 'Infinity'), concat('oid=', tg_relid)
        ));
      end loop;
    end if;
  end if;
  return null;
end
$$;

-- Makes a further table as fresh as products: `select vitrine_watch('brand')` in the migration that creates it. Gateways that start later keep responses that show its rows.
create function vitrine_watch(watched regclass) returns void
language plpgsql
as $$
begin
  -- A statement that names a parent fires no trigger of its children, and the other way round; what a view or a foreign table shows changes elsewhere.
  if not exists (select from pg_class where oid = watched and relkind = 'r')
    or exists (select from pg_inherits where watched in (inhrelid, inhparent)) then
    raise exception '% cannot be watched: it is no table that has all its rows itself', watched;
  end if;
  if not exists (select from pg_trigger where tgrelid = watched and tgname = 'vitrine_notify') then
    execute format(
      'create trigger vitrine_notify after insert or update or delete or truncate on %s for each statement execute function vitrine_notify()', watched
    );
  end if;
end
$$;
