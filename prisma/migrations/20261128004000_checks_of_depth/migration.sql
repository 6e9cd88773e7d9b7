-- The checks of currency, option names, attributes and alternative texts, and those of variants, become those of the columns' types, as 20261128001010_checks_of_values did
-- with others: PostgreSQL reads and plans a check of a table for each update, whatever the update writes. These four cost as much as a new stock itself.
--
-- No row is read or written, and no index: nobody waits for longer than a moment. A check that a shop has dropped stays dropped; a column that has another type, or that a view
-- of a shop reads, keeps its check; and so does one in a partial index, or a list in any index (option_values), which PostgreSQL would build anew.
do $$
declare
  moved record;
begin
  for moved in
    select * from (values
      ('product', 'currency', '{currency}'::text[], 'character(3)', $c$value collate "C" ~ '^[A-Z]{3}$'$c$),
      ('product', 'option_names', '{option_names}', 'text[]', 'vitrine_is_text_list(value) and cardinality(value) <= 5 and vitrine_has_each_once(value)'),
      ('product', 'attributes', '{attributes}', 'jsonb',
        $c$jsonb_typeof(value) = 'object' and not jsonb_path_exists(
          value, 'strict $.* ? (@.type() == "object" || @.type() == "null" || @.type() == "array" && exists (@[*] ? (@.type() != "string")))'
        )$c$),
      ('product', 'image_alts', '{image_alts}', 'text[]', 'vitrine_is_text_list(value)'),
      ('product_variant', 'price', '{price}', 'numeric(14,2)', $c$value >= 0 and value <> 'NaN'$c$),
      ('product_variant', 'list_price', '{list_price}', 'numeric(14,2)', $c$value <> 'NaN'$c$),
      ('product_variant', 'stock', '{stock}', 'integer', 'value >= 0'),
      ('product_variant', 'moments', '{created_at,updated_at}', 'timestamp with time zone',
        $c$value >= '0001-01-01 00:00:00+00' and value < '10000-01-01 00:00:00+00'$c$)
    ) known (of_table, name, columns, type, condition)
  loop
    continue when not exists (
        select from pg_constraint where conrelid = moved.of_table::regclass and conname = format('%s_%s_check', moved.of_table, moved.name)
      ) or exists (
        select from pg_attribute
        where attrelid = moved.of_table::regclass and attname = any (moved.columns)
          and (format_type(atttypid, atttypmod) <> moved.type or exists (
            select from pg_depend join pg_index on indexrelid = objid
            where classid = 'pg_class'::regclass and refobjid = attrelid and refobjsubid = attnum and (indpred is not null or indexprs is not null or moved.type = 'text[]')
          ))
      );
    begin
      execute format('create domain vitrine_%s_%s as %s', moved.of_table, moved.name, moved.type);
      -- Before the columns get their type, which would have the check look at all rows.
      execute format('alter table %1$s drop constraint %1$s_%2$s_check', moved.of_table, moved.name);
      execute (
        select format('alter table %s %s', moved.of_table, string_agg(format('alter column %I type vitrine_%s_%s', name, moved.of_table, moved.name), ', '))
        from unnest(moved.columns) name
      );
      execute format('alter domain vitrine_%1$s_%2$s add constraint %1$s_%2$s_check check (%3$s) not valid', moved.of_table, moved.name, moved.condition);
    exception when feature_not_supported then
      null;
    end;
  end loop;
end
$$;
