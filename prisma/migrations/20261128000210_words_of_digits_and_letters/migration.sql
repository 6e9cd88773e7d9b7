-- Words that PostgreSQL's parser has divided are made anew: each product that has one has a word like 7e2. Products are found and written meanwhile, but for the moment
-- in which the words of these few are made.
do $$
declare
  ids integer[] := (select array_agg(product_id) from product_words where words::text ~ '''[0-9]+e[0-9]+''');
begin
  if ids is not null then
    lock table product in access share mode;
    lock table product_words in share row exclusive mode;
    perform vitrine_make_words('product', ids);
  end if;
end
$$;
