-- What it costs to delete or insert one product: the statement that keeps its words is planned once a session, and not each time, which was four fifths of the CPU of a delete.
-- Words and notifications are the same. Nobody waits for longer than a moment.
--
-- A plan that was made while the tables were small reads them by their keys, too.
create or replace function vitrine_keep_words() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
  ids integer[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id) into ids from new_rows;
  else
    select array_agg(id) into ids from old_rows;
  end if;
  if ids is null then
    return null;
  elsif cardinality(ids) > 1 or tg_table_name <> 'product' then
    execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
    return null;
  end if;

  -- As vitrine_products_updated does it. By the table, not by the row of the statement: another trigger may have written or deleted the product since.
  perform set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
  if tg_op = 'INSERT' then
    insert into product_words (product_id, words)
    select id, vitrine_search(name, brand, tags::text[], subtitle, description) from product where id = ids[1]
    on conflict (product_id) do update set words = excluded.words where product_words.words <> excluded.words;
  else
    delete from product_words where product_id = ids[1] and not exists (select from product where id = ids[1]);
  end if;
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  return null;
exception when undefined_column or undefined_table or undefined_function then
  -- A column has another name, or a table is in another schema: that is no reason to refuse what is written.
  return null;
end
$$;
