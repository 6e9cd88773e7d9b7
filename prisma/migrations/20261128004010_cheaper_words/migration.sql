-- What an update of products costs those who write, once more: the update of one row is one query and one expression, and the statement that makes words is planned once a
-- session. Gateways are notified as before, and words are the same. Nobody waits for longer than a moment.

create or replace function vitrine_products_updated() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  payload text;
  ids integer[];
  changed record;
  told integer;
begin
  begin
    -- Of one row: two are too many, which costs less than to ask whether there are.
    select
      concat(tg_table_name, ' ', n.id, ',', o.id, ' ', n.category_id, ',', o.category_id, ' ',
        -- What is published while the transaction runs counts as yet to come.
        case when n.status = 'ON_SALE' and n.published_at > now() - interval '1 second'
          then extract(epoch from n.published_at)::float8 * 1000 else 'Infinity' end,
        ' oid=', tg_relid),
      case when n.id <> o.id
        or (n.name, n.brand, n.tags, n.subtitle, n.description) is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description)
        then array[n.id, o.id] end
    into strict payload, ids
    from new_rows n, old_rows o;
    if ids is not null then
      if ids[1] = ids[2] and tg_table_name = 'product' then
        -- Plans are kept for as long as the search path names the same schemas, whatever these are called. Others may have functions in the schema, so that types are exact, and
        -- nothing else is run with that path. By the texts of the table: another trigger may have changed them once more, or deleted the row.
        perform set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
        insert into product_words (product_id, words)
        select id, vitrine_search(name, brand, tags::text[], subtitle, description) from product where id = ids[1]
        on conflict (product_id) do update set words = excluded.words;
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
        select array_agg(coalesce(n.id, o.id)) into ids
        from new_rows n full join old_rows o on o.id = n.id
        where (n.name, n.brand, n.tags, n.subtitle, n.description) is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description);
        if ids is not null then
          execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
        end if;
      exception when undefined_column or undefined_table or undefined_function then
        null; -- As below.
      end;
    when undefined_column or undefined_table or undefined_function then
      -- A column has another name, or a table is in another schema: that is no reason to refuse what is written.
  end;

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
          coalesce(extract(epoch from changed.published_at)::float8 * 1000, 'Infinity'), concat('oid=', tg_relid)
        ));
      end loop;
    end if;
  end if;
  return null;
end
$$;

-- A description without a tag or an entity is not looked through for them.
create or replace function vitrine_search(name text, brand text, tags text[], subtitle text, description text) returns tsvector
  language sql immutable parallel safe cost 2500
begin atomic
  select setweight(vitrine_vector(name, 2000), 'A')
    || setweight(vitrine_vector(coalesce(brand, ''), 2000), 'B')
    || setweight(vitrine_vector(vitrine_joined(tags), 2000), 'B')
    || setweight(vitrine_vector(coalesce(subtitle, ''), 2000), 'C')
    || setweight(vitrine_vector(
      case when strpos(description, '<') + strpos(description, '&') = 0 then description
        else regexp_replace(
          regexp_replace(left(description, 20000) collate "C", '</?[a-zA-Z!][^<>]*>', ' ', 'g'),
          '&#?[a-zA-Z0-9]{1,31};', ' ', 'g')
      end, 20000), 'D');
end;

do $$
begin
  -- Spaces already stand between words: a new one is put in the place of other characters alone.
  execute replace(pg_get_functiondef('vitrine_split'::regproc), $r$'[^a-z0-9]+'$r$, $r$'[^a-z0-9 ]+'$r$);
  -- A function of somebody else's that takes the domain itself would be the better match.
  execute replace(pg_get_functiondef('vitrine_make_words'::regproc), 'brand, tags, subtitle', 'brand, tags::text[], subtitle');
end
$$;
