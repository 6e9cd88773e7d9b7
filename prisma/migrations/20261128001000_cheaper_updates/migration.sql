-- What an update of products costs those who write: one trigger in place of two, with one query where one row is written: 50 µs of CPU and
-- not 100 (docs/scaling.md has the whole). Gateways are notified as before. Nobody waits for longer than a moment.

create function vitrine_products_updated() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  told text := current_setting('vitrine.products_told', true);
  one record;
  is_one boolean := false;
  changed record;
  ids integer[];
begin
  begin
    select n.id, o.id as old_id, n.category_id, o.category_id as old_category_id,
      -- What is published while the transaction runs counts as yet to come.
      case when n.status = 'ON_SALE' and n.published_at > now() - interval '1 second'
        then extract(epoch from n.published_at)::float8 * 1000 else 'Infinity' end as next_change,
      exists (select from new_rows offset 1) as is_many,
      (n.name, n.brand, n.tags, n.subtitle, n.description) is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description) as has_new_text
    into one
    from new_rows n, old_rows o limit 1;
    is_one := not one.is_many;
    if one.is_many then
      -- A session plans this once, perhaps for two rows, and then runs it for a million: a full join is never a nested loop.
      select array_agg(coalesce(n.id, o.id)) into ids
      from new_rows n full join old_rows o on o.id = n.id
      where (n.name, n.brand, n.tags, n.subtitle, n.description) is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description);
    elsif one.id <> one.old_id then
      ids := array[one.id, one.old_id];
    elsif one.has_new_text then
      -- By the texts of the table: another trigger may have changed them once more, or deleted the row.
      execute format(
        'insert into %1$I.product_words (product_id, words)
         select id, %1$I.vitrine_search(name, brand, tags, subtitle, description) from %2$s where id = $1
         on conflict (product_id) do update set words = excluded.words',
        tg_table_schema, tg_relid::regclass
      ) using one.id;
    end if;
    if ids is not null then
      execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
    end if;
  exception when undefined_column or undefined_table or undefined_function then
    -- A column has another name, or a table is in another schema: that is no reason to refuse what is written.
  end;

  -- As vitrine_notify_products does it, for any number of rows. To count costs as much as to notify: of single rows, one in 16 counts for all.
  if is_one and not coalesce(nullif(told, '')::integer > 39998, false) then
    perform pg_notify('vitrine', concat(
      tg_table_name, ' ', one.id, ',', one.old_id, ' ', one.category_id, ',', one.old_category_id, ' ', one.next_change, ' oid=', tg_relid
    ));
    if random() < 0.0625 then
      perform set_config('vitrine.products_told', (coalesce(nullif(told, ''), '0')::integer + 32)::text, true);
    end if;
    return null;
  end if;
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
    perform set_config('vitrine.products_told', (coalesce(nullif(told, ''), '0')::integer + changed.rows)::text, true);
    if changed.rows > 20000 or coalesce(nullif(told, ''), '0')::integer + changed.rows > 40000 then
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

-- A trigger on a table of somebody else's would write, with the owner's rights, where that one wants.
revoke execute on function vitrine_products_updated() from public;

drop trigger vitrine_words_update on product;
create or replace trigger vitrine_notify_update after update on product
  referencing old table as old_rows new table as new_rows
  for each statement execute function vitrine_products_updated();

-- Pages that are filled from now on keep room for an update, so that a new stock, which no index has, is no entry in any.
alter table product set (fillfactor = 90);
