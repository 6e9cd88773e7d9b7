-- Meanwhile products can be read and written.
do $$
begin
  if exists (select from pg_constraint where conrelid = 'product'::regclass and conname = 'product_moments_check' and not convalidated) then
    alter table product validate constraint product_moments_check;
  end if;
end
$$;
