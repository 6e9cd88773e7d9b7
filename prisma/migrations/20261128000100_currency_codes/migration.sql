-- A currency is a code of ISO 4217. The column is char(3), which fills a shorter text up with blanks: 'EU' came out as "EU ".

-- From now on a row with another one could not even get a new price, so that there must be none.
do $$
declare
  wrong bigint;
  ids text;
begin
  select count(*), string_agg(id::text, ', ') filter (where number <= 10)
  into wrong, ids
  from (select id, row_number() over (order by id) as number from product where currency collate "C" !~ '^[A-Z]{3}$') rows;
  if wrong > 0 then
    raise check_violation using
      message = format('the currency of %s products is not three capital letters, as ISO 4217 has them', wrong),
      detail = format('The first of them are the products %s', ids),
      hint = 'Nothing was changed. Set the right currencies, such as: update product set currency = ''EUR'' where currency = ''EU''';
  end if;
end
$$;

-- Not valid yet: to look at every row under the lock of this statement would hold up everybody. The next migration does it.
alter table product add constraint product_currency_check check (currency collate "C" ~ '^[A-Z]{3}$') not valid;
