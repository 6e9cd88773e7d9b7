-- Notifications: at commit, the gateways learn what changed, on the channel `vitrine`. A payload says that rows have changed, and never what they
-- are now: anybody may notify on the channel, and two shops in two schemas of one database hear each other. It is
--   `<table> oid=<oid>`                                          any row may have changed
--   `<table> <ids> <ids of groups> <next change> oid=<oid>`      these, as they were and as they are; the next change is when the first of
--                                                                them begins to show by time alone, in milliseconds since 1970
-- The oid is the table's, so that a gateway takes only those of its own tables; it stays when a table or its schema is renamed. A program that
-- writes past the triggers can notify `<table>` alone. A payload has less than 8000 bytes. Its numbers are numeric: a writer's extra_float_digits
-- may cut off those of a double.

create function vitrine_notify() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('vitrine', concat(tg_table_name, ' oid=', tg_relid));
  return null;
end
$$;

-- Makes a further table as fresh as products: `select vitrine_watch('brand')` in the migration that creates it. Gateways that start later keep
-- responses that show its rows.
create function vitrine_watch(watched regclass) returns void
language plpgsql
as $$
begin
  -- A statement that names a parent fires no trigger of its children, and the other way round; what a view or a foreign table shows changes
  -- elsewhere.
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

-- Which categories and notices changed. By a trigger for each row, because one with transition tables could not leave out the updates of view_count
-- alone. These rows may begin to show at any time (-Infinity). Of a transaction with more than 1,000 rows, the rest is notified as "any row", which
-- PostgreSQL sends once.
create function vitrine_notify_row() returns trigger
language plpgsql
as $$
declare
  told integer := coalesce(nullif(current_setting('vitrine.rows_told', true), ''), '0')::integer + 1;
begin
  perform
    set_config('vitrine.rows_told', told::text, true),
    pg_notify('vitrine', case
      when told <= 1000
        then concat_ws(' ', tg_table_name, concat_ws(',', old.id, nullif(new.id, old.id)), '0', '-Infinity', concat('oid=', tg_relid))
      else concat(tg_table_name, ' oid=', tg_relid)
    end);
  return null;
end
$$;

create trigger vitrine_notify after insert or update or delete on category
  for each row execute function vitrine_notify_row();

create trigger vitrine_notify_truncate after truncate on category
  for each statement execute function vitrine_notify();

-- Every column but view_count: the gateways do not notify their own counting.
create trigger vitrine_notify after insert or delete or update
  of id, type, level, title, summary, content, pinned, status, starts_at, ends_at, created_at, updated_at, translations on notice
  for each row execute function vitrine_notify_row();

create trigger vitrine_notify_truncate after truncate on notice
  for each statement execute function vitrine_notify();

-- Which products a statement changed, in 200s: the answers that show others stay in memory. A transition table, which has the rows of a statement,
-- allows neither a list of columns nor several events: https://www.postgresql.org/docs/current/sql-createtrigger.html. A statement of more than
-- 20,000 rows, those before and after it counted each, and what exceeds 40,000 in a transaction, is notified as "any row": the index of products
-- reads 10,000 products again in about a second, and a million in a minute. A statement that changed no row notifies nothing.
create function vitrine_notify_products() returns trigger
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
          coalesce(trim_scale(extract(epoch from changed.published_at) * 1000), 'Infinity'), concat('oid=', tg_relid)
        ));
      end loop;
    end if;
  end if;
  return null;
end
$$;

create trigger vitrine_notify after truncate on product
  for each statement execute function vitrine_notify();

create trigger vitrine_notify_insert after insert on product
  referencing new table as new_rows
  for each statement execute function vitrine_notify_products();

create trigger vitrine_notify_delete after delete on product
  referencing old table as old_rows
  for each statement execute function vitrine_notify_products();

-- One trigger for all that an update of products needs, notification, words and aliases of slugs, with one query where one row is written: each query
-- costs as much as a new stock itself. As vitrine_keep_words says, a writer needs no rights on words, and the search path names nobody's schema.
create function vitrine_products_updated() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  payload text;
  ids integer[];
  have_other_slugs boolean;
  former_slugs jsonb;
  changed record;
  told integer;
begin
  begin
    -- Of one row: two are too many, which costs less than to ask whether there are.
    select
      concat(tg_table_name, ' ', n.id, ',', o.id, ' ', n.category_id, ',', o.category_id, ' ',
        -- What is published while the transaction runs counts as yet to come.
        case when n.status = 'ON_SALE' and n.published_at > now() - interval '1 second'
          then trim_scale(extract(epoch from n.published_at) * 1000) else 'Infinity' end,
        ' oid=', tg_relid),
      case when n.id <> o.id
        or (n.name, n.brand, n.tags, n.subtitle, n.description, n.translations)
          is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description, o.translations)
        then array[n.id, o.id] end,
      (n.id, n.slug, n.translations) is distinct from (o.id, o.slug, o.translations)
    into strict payload, ids, have_other_slugs
    from new_rows n, old_rows o;
    if ids is not null then
      if ids[1] = ids[2] and tg_table_name = 'product' then
        -- Plans are kept for as long as the search path names the same schemas, whatever these are called. Others may have functions in the schema,
        -- so that types are exact, and nothing else is run with that path. By the texts of the table: another trigger may have changed them once
        -- more, or deleted the row.
        perform set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        insert into product_words (product_id, words, tags)
        select id, vitrine_search(name, brand, tags::text[], subtitle, description), vitrine_tag_keys(tags::text[]) from product where id = ids[1]
        on conflict (product_id) do update set words = excluded.words, tags = excluded.tags;
        if vitrine_are_translated(ids) then
          perform vitrine_translate_words(tg_relid::regclass, ids);
        end if;
        perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
      else
        execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
      end if;
    end if;
  exception
    when no_data_found then
      return null;
    when too_many_rows then
      begin
        -- A session plans this once, perhaps for two rows, and then runs it for a million: a full join is never a nested loop.
        select
          array_agg(coalesce(n.id, o.id)) filter (
            where (n.name, n.brand, n.tags, n.subtitle, n.description, n.translations)
              is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description, o.translations)),
          bool_or((n.slug, n.translations) is distinct from (o.slug, o.translations))
        into ids, have_other_slugs
        from new_rows n full join old_rows o on o.id = n.id;
        if ids is not null then
          execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
        end if;
      exception when undefined_column or undefined_table or undefined_function then
        null; -- As below.
      end;
    when undefined_column or undefined_table or undefined_function then
      -- A column has another name, or a table is in another schema: that is no reason to refuse what is written.
  end;

  if have_other_slugs and tg_table_name = 'product' then
    begin
      perform set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
      select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', coalesce(o.id, n.id),
        'slugs', case when o.created_at::timestamptz <> pg_catalog.now() then vitrine_slugs_of(o.slug, o.translations::jsonb) end
      )) into former_slugs
      from old_rows o full join new_rows n on n.id = o.id
      where (n.slug, n.translations::jsonb) is distinct from (o.slug, o.translations::jsonb);
      perform vitrine_change_slugs(tg_relid::regclass, former_slugs);
      perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    exception when undefined_column or undefined_table or undefined_function then
      null; -- As above.
    end;
  end if;

  if payload is not null and coalesce(nullif(current_setting('vitrine.products_told', true), '')::integer, 0) <= 39998
    and pg_notify('vitrine', payload) is not null then
    -- To count costs as much as to notify: of single rows, one in 16 counts for all.
    if random() < 0.0625 then
      perform set_config('vitrine.products_told', (coalesce(nullif(current_setting('vitrine.products_told', true), ''), '0')::integer + 32)::text, true);
    end if;
    return null;
  end if;

  -- As vitrine_notify_products does it, for any number of rows.
  told := coalesce(nullif(current_setting('vitrine.products_told', true), ''), '0')::integer;
  select count(*) as rows, array_agg(id) as ids, array_agg(category_id) as category_ids,
    min(published_at) filter (where status = 'ON_SALE' and published_at > now() - interval '1 second') as published_at
  into changed
  from (
    select id, category_id, status, published_at from new_rows
    union all
    select id, category_id, status, published_at from old_rows
    limit 20001
  ) changed_row;
  if changed.rows > 0 then
    told := told + changed.rows;
    perform set_config('vitrine.products_told', told::text, true);
    if changed.rows > 20000 or told > 40000 then
      perform pg_notify('vitrine', concat(tg_table_name, ' oid=', tg_relid));
    else
      for begins in 1 .. changed.rows by 200 loop
        perform pg_notify('vitrine', concat_ws(
          ' ', tg_table_name, array_to_string(changed.ids[begins:begins + 199], ','), array_to_string(changed.category_ids[begins:begins + 199], ','),
          coalesce(trim_scale(extract(epoch from changed.published_at) * 1000), 'Infinity'), concat('oid=', tg_relid)
        ));
      end loop;
    end if;
  end if;
  return null;
end
$$;

-- As those of the words.
revoke execute on function vitrine_products_updated() from public;

create trigger vitrine_notify_update after update on product
  referencing old table as old_rows new table as new_rows
  for each statement execute function vitrine_products_updated();
