-- Checks of products move from the table to the types of their columns. A check of a table is read, planned and run by each update, whatever the update writes: eight of
-- them cost as much CPU as a new stock itself. That of a type (a domain) is run where the column is written. The constraints keep their names. Those of columns that
-- are in an index stay, because PostgreSQL would build the index anew.
--
-- No row is read or written: the domains get their checks after the columns have become them, and the values that are there passed the same checks; "not valid" says only
-- that nobody has looked again, for which writers would have to wait. Nobody waits for longer than a moment. A check that a shop has dropped stays dropped; a column that
-- has another type, or that a view of a shop reads, keeps its check.
do $$
declare
  moved record;
begin
  for moved in
    select * from (values
      ('list_price', '{list_price}'::text[], 'numeric(14,2)', $c$value <> 'NaN'$c$, null),
      ('stock', '{stock}', 'integer', 'value >= 0', null),
      ('tags', '{tags}', 'text[]', 'coalesce(array_ndims(value), 1) = 1 and array_position(value, null) is null', null),
      ('image_urls', '{image_urls}', 'text[]', 'coalesce(array_ndims(value), 1) = 1 and array_position(value, null) is null', null),
      ('moments', '{created_at,updated_at}', 'timestamp with time zone',
        $c$value >= '0001-01-01 00:00:00+00' and value < '10000-01-01 00:00:00+00'$c$,
        $c$published_at >= '0001-01-01 00:00:00+00' and published_at < '10000-01-01 00:00:00+00'$c$)
    ) known (name, columns, type, condition, left_in_table)
  loop
    continue when not exists (
        select from pg_constraint where conrelid = 'product'::regclass and conname = format('product_%s_check', moved.name)
      ) or exists (
        select from pg_attribute
        where attrelid = 'product'::regclass and attname = any (moved.columns) and format_type(atttypid, atttypmod) <> moved.type
      );
    begin
      execute format('create domain vitrine_%s as %s', moved.name, moved.type);
      -- Before the column gets its type, which would have the check look at all rows.
      execute format('alter table product drop constraint product_%s_check', moved.name);
      execute (
        select format('alter table product %s', string_agg(format('alter column %I type vitrine_%s', name, moved.name), ', '))
        from unnest(moved.columns) name
      );
      execute format('alter domain vitrine_%1$s add constraint product_%1$s_check check (%2$s) not valid', moved.name, moved.condition);
      if moved.left_in_table is not null then
        execute format('alter table product add constraint product_%s_check check (%s) not valid', moved.name, moved.left_in_table);
      end if;
    exception when feature_not_supported then
      null;
    end;
  end loop;
end
$$;
