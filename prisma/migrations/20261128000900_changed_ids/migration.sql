-- A notification says which categories and notices have changed, as it does for products: the change feed (`subscription { changes }`) names them. By a trigger for
-- each row, because one with transition tables could not leave out the updates of view_count alone.
--
-- The payload is `notice 17 0 -Infinity oid=16390`: the id (the old and the new one where it changed), no group, and that these rows may begin to show at any time. Of a
-- transaction with more than 1,000 rows, the rest is notified as `notice oid=16390`, which PostgreSQL sends once. Gateways of earlier versions take both as "any row".

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

drop trigger vitrine_notify on category;

create trigger vitrine_notify after insert or update or delete on category
  for each row execute function vitrine_notify_row();

create trigger vitrine_notify_truncate after truncate on category
  for each statement execute function vitrine_notify();

drop trigger vitrine_notify on notice;

-- Every column but view_count: the gateways do not notify their own counting.
create trigger vitrine_notify after insert or delete or update
  of id, type, level, title, summary, content, pinned, status, starts_at, ends_at, created_at, updated_at on notice
  for each row execute function vitrine_notify_row();

create trigger vitrine_notify_truncate after truncate on notice
  for each statement execute function vitrine_notify();
