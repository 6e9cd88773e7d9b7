-- How the words of products are made and kept. src/browse/words.ts has the same rules for what somebody searches for: change neither without the other.

-- Whoever writes products finishes before: from here on, nobody makes words by the old rules.
lock table product in share row exclusive mode;

-- A text without case, accents and differences of width. "C" and "und-x-icu" name how letters are compared, whatever the database's own way is.
create function vitrine_fold(value text) returns text
  language plpgsql immutable strict parallel safe cost 200
as $$
declare
  folded text := value;
begin
  if octet_length(folded) = length(folded) then
    return lower(folded collate "C");
  end if;
  folded := lower(normalize(folded, NFKD) collate "und-x-icu");
  folded := regexp_replace(folded collate "C",
    '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]', '', 'g');
  folded := translate(folded, 'øłđðħıς', 'olddhiσ');
  folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  return normalize(folded, NFC);
end
$$;

-- The words of a folded text with their places. A word is a run of letters and digits; a run of Chinese, Japanese or Korean is its pairs of characters
-- and its last character alone.
create function vitrine_split(folded text) returns tsvector
  language plpgsql immutable strict parallel safe cost 300
as $$
begin
  if octet_length(folded) = length(folded) then
    folded := regexp_replace(folded collate "C", '[^a-z0-9]+', ' ', 'g');
    -- Of letters and digits of ASCII, PostgreSQL's parser makes the same words, ten times as fast. Of all that has only these, it would divide one thing:
    -- what begins as a number does (7e2b).
    if folded collate "C" !~ '[a-z0-9]{65}|[0-9]e[0-9]+[a-z]' then
      return to_tsvector('pg_catalog.simple', folded);
    end if;
  end if;
  folded := regexp_replace(folded collate "C",
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e3f\u0e4f\u0e5a\u0e5b\u0f04-\u0f14\u104a-\u104f\u10fb\u1360-\u1368\u17d4-\u17d6\u17d8-\u17db\u2000-\u206f\u20a0-\u20cf\u2100-\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2190-\u2bff\u2e00-\u2e7f\u2ff0-\u3004\u3008-\u3020\u3030\u3036\u3037\u303d-\u303f\u309b\u309c\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff\ue000-\uf8ff\U0001f000-\U0001faff\U000e0000-\U0010ffff]+', ' ', 'g');
  -- Runs stand apart, and an empty token follows the last character of each.
  folded := regexp_replace(folded collate "C",
    '([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]+)',
    ' \1 ', 'g');
  folded := regexp_replace(folded collate "C",
    '([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff])',
    '\1 ', 'g');
  return (
    select coalesce(string_agg(piece || ':' || least(place, 16383), ' '), '')::tsvector
    from (
      select place,
        case
          when token collate "C" ~ '^[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]'
          then token || lead(token, 1, '') over (order by place)
          else left(token, 64)
        end as piece
      from unnest(string_to_array(folded, ' ')) with ordinality as t(token, place)
    ) pieces
    where piece <> ''
  );
end
$$;

-- The functions that it calls are bound here, so that it works with every search path.
create or replace function vitrine_vector(value text, max_characters integer) returns tsvector
  language sql immutable strict parallel safe cost 500
  return vitrine_split(vitrine_fold(left(value, max_characters)));

-- Makes the words of these products by what their texts are now, and removes those of products that are gone; without ids, of all products, with writers
-- kept out: `select vitrine_make_words('product')`. The tables are those of the schema of that one.
create function vitrine_make_words(products regclass, ids integer[] default null) returns void
  language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  schema text := (select relnamespace::regnamespace from pg_class where oid = products);
begin
  if ids is null then
    execute format('lock table %s in share row exclusive mode', products);
    execute format('select array(select id from %s union select product_id from %s.product_words)', products, schema) into ids;
  end if;
  -- Ids in arrays are looked up, also where the plan of the caller avoids nested loops.
  execute format(
    'delete from %1$s.product_words where product_id = any (array(select unnest($1) except select id from %2$s where id = any ($1)))',
    schema, products
  ) using ids;
  execute format(
    'insert into %1$s.product_words as w (product_id, words)
     select id, %1$s.vitrine_search(name, brand, tags, subtitle, description) from %2$s where id = any ($1)
     on conflict (product_id) do update set words = excluded.words where w.words <> excluded.words',
    schema, products
  ) using ids;
end
$$;

-- Whoever writes products needs no rights on their words. The search path names no schema of ours, because a schema can be renamed; and none of a writer's, whose
-- operators would run with the owner's rights. The rows of a statement only say which products have other texts: by the time that a trigger runs, another trigger may
-- have changed them once more. A session plans the comparison once, perhaps for one row, and then runs it for a million: rows are joined by their hashes.
create or replace function vitrine_keep_words() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_nestloop = off
as $$
declare
  ids integer[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id) into ids from new_rows;
  elsif tg_op = 'UPDATE' then
    select array_agg(coalesce(n.id, o.id)) into ids
    from new_rows n full join old_rows o on o.id = n.id
    where (n.name, n.brand, n.tags, n.subtitle, n.description) is distinct from (o.name, o.brand, o.tags, o.subtitle, o.description);
  else
    select array_agg(id) into ids from old_rows;
  end if;
  if ids is not null then
    execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
  end if;
  return null;
exception when undefined_column or undefined_table or undefined_function then
  -- A column has another name, or a table is in another schema: that is no reason to refuse what is written.
  return null;
end
$$;

-- `product` is locked before `product_words`, here as in everything that reads both.
create or replace function vitrine_truncate_words() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  execute format('truncate %I.product_words', tg_table_schema);
  return null;
exception when undefined_table then
  return null;
end
$$;

-- A trigger on a table of somebody else's would write, with the owner's rights, where that one wants.
revoke execute on function vitrine_keep_words(), vitrine_truncate_words() from public;
