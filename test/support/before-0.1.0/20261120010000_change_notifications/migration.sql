-- Tells the gateways which table changed, at commit and once a transaction. They listen on the channel `vitrine`.

create function vitrine_notify() returns trigger
language plpgsql
as $$
begin
  perform pg_notify('vitrine', tg_table_name);
  return null;
end
$$;

create trigger vitrine_notify after insert or update or delete or truncate on category
  for each statement execute function vitrine_notify();

create trigger vitrine_notify after insert or update or delete or truncate on product
  for each statement execute function vitrine_notify();

-- Every column but view_count: the gateways' own counting tells nobody.
create trigger vitrine_notify after insert or delete or truncate or update
  of id, type, level, title, summary, content, pinned, status, starts_at, ends_at, created_at, updated_at on notice
  for each statement execute function vitrine_notify();

-- The next moment at which the notices in effect change by themselves. (Products have theirs in product_newest_idx.)
create index notice_starts_at_idx on notice (starts_at) where status = 'PUBLISHED';
create index notice_ends_at_idx on notice (ends_at) where status = 'PUBLISHED';
