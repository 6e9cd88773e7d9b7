-- The same rules for less: a new price costs PostgreSQL 330 µs of CPU time and not 395, a new stock 165 and not 190 (a session that changes one product a
-- statement, 100,000 products, PostgreSQL 18). It reads the SQL of a function again for each statement, and plans it again where it cannot write it in the
-- place of the call. So the function of the checks is in plpgsql, which is read once a session. And that of the index of words can be written in the
-- place of its call, which is done once for as long as the index is open.

create or replace function vitrine_is_moment(moment timestamptz) returns boolean
  language plpgsql immutable parallel safe
as $$
begin
  return moment >= '0001-01-01 00:00:00+00' and moment < '10000-01-01 00:00:00+00';
end
$$;

-- array_to_string itself is not "immutable", because an array can be of a type whose text is not; and then a call is not written out.
create function vitrine_joined(texts text[]) returns text
  language plpgsql immutable strict parallel safe
as $$
begin
  return array_to_string(texts, ' ');
end
$$;

create or replace function vitrine_search(name text, brand text, tags text[], subtitle text, description text) returns tsvector
  language sql immutable parallel safe cost 2500
begin atomic
  select setweight(vitrine_vector(name, 2000), 'A')
    || setweight(vitrine_vector(coalesce(brand, ''), 2000), 'B')
    || setweight(vitrine_vector(vitrine_joined(tags), 2000), 'B')
    || setweight(vitrine_vector(coalesce(subtitle, ''), 2000), 'C')
    || setweight(vitrine_vector(
      regexp_replace(
        regexp_replace(left(description, 20000) collate "C", '</?[a-zA-Z!][^<>]*>', ' ', 'g'),
        '&#?[a-zA-Z0-9]{1,31};', ' ', 'g'),
      20000), 'D');
end;

-- Changes nothing, but sessions that have the index open forget what they know of it. Otherwise they would not see that a search is what it is on.
alter index product_search_idx reset (fastupdate);
