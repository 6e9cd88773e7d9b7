-- PostgreSQL compares arrays by their first subscript, too: a product could have two variants {M} and [0:0]={M}, and an option was not found by its place. From now on lists begin
-- at 1, as all do but those that a program writes with their subscripts. Rows that are there keep theirs until they are written.
create or replace function vitrine_is_text_list(list text[]) returns boolean
  language sql immutable parallel safe
  return coalesce(array_ndims(list), 1) = 1 and coalesce(array_lower(list, 1), 1) = 1 and array_position(list, null) is null;
