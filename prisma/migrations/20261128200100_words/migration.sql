-- What products are found by: their words, which triggers keep (the next migration has the one of updates), so that no writer can forget them; and
-- their codes. src/browse/words.ts has the same rules for what somebody searches for: change neither without the other.

-- Texts with a backslash stand between $r$: between plain quotes it is lost in sessions of writers with standard_conforming_strings = off.

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
  -- Letters later than Unicode 10 (src/browse/late-letters.ts), whether this server knows them or not.
  if folded collate "C" ~ $r$[\u1c89\u1c90-\u1cba\u1cbd-\u1cbf\u2c2f\ua7b8\ua7ba\ua7bc\ua7be\ua7c0\ua7c2\ua7c4-\ua7c7\ua7c9\ua7cb\ua7cc\ua7ce\ua7d0\ua7d2\ua7d4\ua7d6\ua7d8\ua7da\ua7dc\ua7f1\ua7f5\U00010570-\U0001057a\U0001057c-\U0001058a\U0001058c-\U00010592\U00010594\U00010595\U000105c9\U000105e4\U00010d50-\U00010d65\U00016e40-\U00016e5f\U00016ea0-\U00016eb8\U0001ccd6-\U0001ccf9\U0001e030-\U0001e06d]$r$ then
    folded := translate(folded,
      E'\u1c89\u1c90\u1c91\u1c92\u1c93\u1c94\u1c95\u1c96\u1c97\u1c98\u1c99\u1c9a\u1c9b\u1c9c\u1c9d\u1c9e\u1c9f\u1ca0\u1ca1\u1ca2\u1ca3\u1ca4\u1ca5\u1ca6\u1ca7\u1ca8\u1ca9\u1caa\u1cab\u1cac\u1cad\u1cae\u1caf\u1cb0\u1cb1\u1cb2\u1cb3\u1cb4\u1cb5\u1cb6\u1cb7\u1cb8\u1cb9\u1cba\u1cbd\u1cbe\u1cbf\u2c2f\ua7b8\ua7ba\ua7bc\ua7be\ua7c0\ua7c2\ua7c4\ua7c5\ua7c6\ua7c7\ua7c9\ua7cb\ua7cc\ua7ce\ua7d0\ua7d2\ua7d4\ua7d6\ua7d8\ua7da\ua7dc\ua7f1\ua7f5\U00010570\U00010571\U00010572\U00010573\U00010574\U00010575\U00010576\U00010577\U00010578\U00010579\U0001057a\U0001057c\U0001057d\U0001057e\U0001057f\U00010580\U00010581\U00010582\U00010583\U00010584\U00010585\U00010586\U00010587\U00010588\U00010589\U0001058a\U0001058c\U0001058d\U0001058e\U0001058f\U00010590\U00010591\U00010592\U00010594\U00010595\U000105c9\U000105e4\U00010d50\U00010d51\U00010d52\U00010d53\U00010d54\U00010d55\U00010d56\U00010d57\U00010d58\U00010d59\U00010d5a\U00010d5b\U00010d5c\U00010d5d\U00010d5e\U00010d5f\U00010d60\U00010d61\U00010d62\U00010d63\U00010d64\U00010d65\U00016e40\U00016e41\U00016e42\U00016e43\U00016e44\U00016e45\U00016e46\U00016e47\U00016e48\U00016e49\U00016e4a\U00016e4b\U00016e4c\U00016e4d\U00016e4e\U00016e4f\U00016e50\U00016e51\U00016e52\U00016e53\U00016e54\U00016e55\U00016e56\U00016e57\U00016e58\U00016e59\U00016e5a\U00016e5b\U00016e5c\U00016e5d\U00016e5e\U00016e5f\U00016ea0\U00016ea1\U00016ea2\U00016ea3\U00016ea4\U00016ea5\U00016ea6\U00016ea7\U00016ea8\U00016ea9\U00016eaa\U00016eab\U00016eac\U00016ead\U00016eae\U00016eaf\U00016eb0\U00016eb1\U00016eb2\U00016eb3\U00016eb4\U00016eb5\U00016eb6\U00016eb7\U00016eb8\U0001ccd6\U0001ccd7\U0001ccd8\U0001ccd9\U0001ccda\U0001ccdb\U0001ccdc\U0001ccdd\U0001ccde\U0001ccdf\U0001cce0\U0001cce1\U0001cce2\U0001cce3\U0001cce4\U0001cce5\U0001cce6\U0001cce7\U0001cce8\U0001cce9\U0001ccea\U0001cceb\U0001ccec\U0001cced\U0001ccee\U0001ccef\U0001ccf0\U0001ccf1\U0001ccf2\U0001ccf3\U0001ccf4\U0001ccf5\U0001ccf6\U0001ccf7\U0001ccf8\U0001ccf9\U0001e030\U0001e031\U0001e032\U0001e033\U0001e034\U0001e035\U0001e036\U0001e037\U0001e038\U0001e039\U0001e03a\U0001e03b\U0001e03c\U0001e03d\U0001e03e\U0001e03f\U0001e040\U0001e041\U0001e042\U0001e043\U0001e044\U0001e045\U0001e046\U0001e047\U0001e048\U0001e049\U0001e04a\U0001e04b\U0001e04c\U0001e04d\U0001e04e\U0001e04f\U0001e050\U0001e051\U0001e052\U0001e053\U0001e054\U0001e055\U0001e056\U0001e057\U0001e058\U0001e059\U0001e05a\U0001e05b\U0001e05c\U0001e05d\U0001e05e\U0001e05f\U0001e060\U0001e061\U0001e062\U0001e063\U0001e064\U0001e065\U0001e066\U0001e067\U0001e068\U0001e069\U0001e06a\U0001e06b\U0001e06c\U0001e06d',
      E'\u1c8a\u10d0\u10d1\u10d2\u10d3\u10d4\u10d5\u10d6\u10d7\u10d8\u10d9\u10da\u10db\u10dc\u10dd\u10de\u10df\u10e0\u10e1\u10e2\u10e3\u10e4\u10e5\u10e6\u10e7\u10e8\u10e9\u10ea\u10eb\u10ec\u10ed\u10ee\u10ef\u10f0\u10f1\u10f2\u10f3\u10f4\u10f5\u10f6\u10f7\u10f8\u10f9\u10fa\u10fd\u10fe\u10ff\u2c5f\ua7b9\ua7bb\ua7bd\ua7bf\ua7c1\ua7c3\ua794\u0282\u1d8e\ua7c8\ua7ca\u0264\ua7cd\ua7cf\ua7d1\ua7d3\ua7d5\ua7d7\ua7d9\ua7db\u019b\u0073\ua7f6\U00010597\U00010598\U00010599\U0001059a\U0001059b\U0001059c\U0001059d\U0001059e\U0001059f\U000105a0\U000105a1\U000105a3\U000105a4\U000105a5\U000105a6\U000105a7\U000105a8\U000105a9\U000105aa\U000105ab\U000105ac\U000105ad\U000105ae\U000105af\U000105b0\U000105b1\U000105b3\U000105b4\U000105b5\U000105b6\U000105b7\U000105b8\U000105b9\U000105bb\U000105bc\U000105d2\U000105da\U00010d70\U00010d71\U00010d72\U00010d73\U00010d74\U00010d75\U00010d76\U00010d77\U00010d78\U00010d79\U00010d7a\U00010d7b\U00010d7c\U00010d7d\U00010d7e\U00010d7f\U00010d80\U00010d81\U00010d82\U00010d83\U00010d84\U00010d85\U00016e60\U00016e61\U00016e62\U00016e63\U00016e64\U00016e65\U00016e66\U00016e67\U00016e68\U00016e69\U00016e6a\U00016e6b\U00016e6c\U00016e6d\U00016e6e\U00016e6f\U00016e70\U00016e71\U00016e72\U00016e73\U00016e74\U00016e75\U00016e76\U00016e77\U00016e78\U00016e79\U00016e7a\U00016e7b\U00016e7c\U00016e7d\U00016e7e\U00016e7f\U00016ebb\U00016ebc\U00016ebd\U00016ebe\U00016ebf\U00016ec0\U00016ec1\U00016ec2\U00016ec3\U00016ec4\U00016ec5\U00016ec6\U00016ec7\U00016ec8\U00016ec9\U00016eca\U00016ecb\U00016ecc\U00016ecd\U00016ece\U00016ecf\U00016ed0\U00016ed1\U00016ed2\U00016ed3\u0061\u0062\u0063\u0064\u0065\u0066\u0067\u0068\u0069\u006a\u006b\u006c\u006d\u006e\u006f\u0070\u0071\u0072\u0073\u0074\u0075\u0076\u0077\u0078\u0079\u007a\u0030\u0031\u0032\u0033\u0034\u0035\u0036\u0037\u0038\u0039\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u043a\u043b\u043c\u043e\u043f\u0440\u0441\u0442\u0443\u0444\u0445\u0446\u0447\u0448\u044b\u044d\u044e\ua689\u04d9\u0456\u0458\u04e9\u04af\u04cf\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u043a\u043b\u043e\u043f\u0441\u0443\u0444\u0445\u0446\u0447\u0448\u044a\u044b\u0491\u0456\u0455\u045f\u04ab\ua651\u04b1');
  end if;
  folded := lower(normalize(folded, NFKD) collate "und-x-icu");
  folded := regexp_replace(folded collate "C",
    $r$[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]$r$, '', 'g');
  folded := translate(folded, 'øłđðħıς', 'olddhiσ');
  folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  return normalize(folded, NFC);
end
$$;

-- The words of a folded text with their places. A word is a run of letters and digits; a run of Chinese, Japanese or Korean is its pairs of
-- characters and its last character alone.
create function vitrine_split(folded text) returns tsvector
  language plpgsql immutable strict parallel safe cost 300
as $$
begin
  if octet_length(folded) = length(folded) then
    folded := regexp_replace(folded collate "C", '[^a-z0-9 ]+', ' ', 'g');
    -- Of letters and digits of ASCII, PostgreSQL's parser makes the same words, ten times as fast. Of all that has only these, it would divide one
    -- thing: what begins as a number does (7e2b).
    if folded collate "C" !~ '[a-z0-9]{65}|[0-9]e[0-9]+[a-z]' then
      return to_tsvector('pg_catalog.simple', folded);
    end if;
  end if;
  folded := regexp_replace(folded collate "C",
    $r$[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e3f\u0e4f\u0e5a\u0e5b\u0f04-\u0f14\u104a-\u104f\u10fb\u1360-\u1368\u1680\u17d4-\u17d6\u17d8-\u17db\u2000-\u206f\u20a0-\u20cf\u2100-\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2190-\u2bff\u2e00-\u2e7f\u2ff0-\u3004\u3008-\u3020\u3030\u3036\u3037\u303d-\u303f\u309b\u309c\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff\ue000-\uf8ff\U0001f000-\U0001faff\U000e0000-\U0010ffff]+$r$, ' ', 'g');
  -- Runs stand apart, and an empty token follows the last character of each.
  folded := regexp_replace(folded collate "C",
    $r$([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]+)$r$,
    $r$ \1 $r$, 'g');
  folded := regexp_replace(folded collate "C",
    $r$([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff])$r$,
    $r$\1 $r$, 'g');
  return (
    select coalesce(string_agg(piece || ':' || least(place, 16383), ' '), '')::tsvector
    from (
      select place,
        case
          when token collate "C" ~ $r$^[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]$r$
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
create function vitrine_vector(value text, max_characters integer) returns tsvector
  language sql immutable strict parallel safe cost 500
  return vitrine_split(vitrine_fold(left(value, max_characters)));

-- array_to_string itself is not "immutable", because an array can be of a type whose text is not; and then a call of vitrine_search is not written
-- out.
create function vitrine_joined(texts text[]) returns text
  language plpgsql immutable strict parallel safe
as $$
begin
  return array_to_string(texts, ' ');
end
$$;

-- By weight: A name, B brand and tags, C subtitle, D description without its HTML. Each is cut, because a tsvector has at most 1 MB. A description
-- without a tag or an entity is not looked through for them.
create function vitrine_search(name text, brand text, tags text[], subtitle text, description text) returns tsvector
  language sql immutable parallel safe cost 2500
begin atomic
  select setweight(vitrine_vector(name, 2000), 'A')
    || setweight(vitrine_vector(coalesce(brand, ''), 2000), 'B')
    || setweight(vitrine_vector(vitrine_joined(tags), 2000), 'B')
    || setweight(vitrine_vector(coalesce(subtitle, ''), 2000), 'C')
    || setweight(vitrine_vector(
      case when strpos(description, '<') + strpos(description, '&') = 0 then description
        else regexp_replace(
          regexp_replace(left(description, 20000) collate "C", '</?[a-zA-Z!][^<>]*>', ' ', 'g'),
          '&#?[a-zA-Z0-9]{1,31};', ' ', 'g')
      end, 20000), 'D');
end;

-- What products are found by that have a tag. PostgreSQL's indexes take no text of any length.
create function vitrine_tag_keys(tags text[]) returns text[]
  language sql immutable strict parallel safe
  return array(select left(tag, 200) from unnest(tags) as tag);

-- A table of their own: a new price makes an entry in each index of a table, whatever the index is on. Here only a product whose texts change is
-- written.
create table product_words (
  product_id integer not null,
  -- As vitrine_search makes them.
  words      tsvector not null,
  -- As vitrine_tag_keys makes them.
  tags       text[] not null,
  constraint product_words_pkey primary key (product_id)
);

create index product_words_idx on product_words using gin (words);
create index product_words_tags_idx on product_words using gin (tags);

-- Makes the words of these products by what their texts are now, in each language, and removes those of products that are gone; without ids, of all
-- products, with writers kept out: `select vitrine_make_words('product')`. The tables are those of the schema of that one.
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
    'insert into %1$s.product_words as w (product_id, words, tags)
     select id, %1$s.vitrine_search(name, brand, tags::text[], subtitle, description), %1$s.vitrine_tag_keys(tags::text[])
     from %2$s where id = any ($1)
     on conflict (product_id) do update set words = excluded.words, tags = excluded.tags
     where (w.words, w.tags) is distinct from (excluded.words, excluded.tags)',
    schema, products
  ) using ids;
  execute format('select %s.vitrine_translate_words($1, $2)', schema) using products, ids;
end
$$;

-- Keeps the words of products that are written or deleted, also in further languages, and what their slugs lead to (the last migration has both).
-- Whoever writes products needs no rights on these tables. The search path names no schema of ours, because a schema can be renamed; and none of a
-- writer's, whose operators would run with the owner's rights. A plan that was made while the tables were small reads them by their keys, too.
create function vitrine_keep_words() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
  ids integer[];
  slugs jsonb;
begin
  if tg_op = 'INSERT' then
    select array_agg(id) into ids from new_rows;
  else
    select array_agg(id) into ids from old_rows;
  end if;
  if ids is null then
    return null;
  elsif tg_table_name <> 'product' then
    execute format('select %I.vitrine_make_words($1, $2)', tg_table_schema) using tg_relid::regclass, ids;
    return null;
  end if;

  -- As vitrine_products_updated does it. By the table, not by the rows of the statement: another trigger may have written or deleted the product
  -- since.
  perform set_config('search_path', format('pg_catalog, %I, pg_temp', tg_table_schema), true);
  if tg_op = 'DELETE' and pg_catalog.cardinality(ids) = 1 then
    -- A statement planned for one row takes half as long.
    if not exists (select from product where id = ids[1]) then
      with translated as (delete from translated_words where product_id = ids[1]),
        aliases as (delete from slug_alias where kind = 'product' and id = ids[1]),
        changes as (delete from slug_change where kind = 'product' and id = ids[1])
      delete from product_words where product_id = ids[1];
    end if;
  elsif tg_op = 'DELETE' then
    ids := array(select pg_catalog.unnest(ids) except select id from product where id = any (ids));
    with translated as (delete from translated_words where product_id = any (ids)),
      aliases as (delete from slug_alias where kind = 'product' and id = any (ids)),
      changes as (delete from slug_change where kind = 'product' and id = any (ids))
    delete from product_words where product_id = any (ids);
  elsif pg_catalog.cardinality(ids) > 1 then
    perform vitrine_make_words(tg_relid::regclass, ids);
  else
    insert into product_words as w (product_id, words, tags)
    select id, vitrine_search(name, brand, tags::text[], subtitle, description), vitrine_tag_keys(tags::text[]) from product where id = ids[1]
    on conflict (product_id) do update set words = excluded.words, tags = excluded.tags
    where (w.words, w.tags) is distinct from (excluded.words, excluded.tags);
    if vitrine_are_translated(ids) then
      perform vitrine_translate_words(tg_relid::regclass, ids);
    end if;
  end if;
  if tg_op = 'INSERT' then
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', n.id)) into slugs from new_rows n
    where n.translations::jsonb <> '{}' or exists (select from slug_alias a where a.kind = 'product' and a.slug = n.slug and a.language is null);
    if slugs is not null then
      perform vitrine_change_slugs(tg_relid::regclass, slugs);
    end if;
  end if;
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  return null;
exception when undefined_column or undefined_table or undefined_function then
  -- A column has another name, or a table is in another schema: that is no reason to refuse what is written.
  return null;
end
$$;

-- `product` is locked before `product_words`, here as in everything that reads both.
create function vitrine_truncate_words() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  execute format(
    'truncate %1$I.product_words, %1$I.translated_words;
     delete from %1$I.slug_alias where kind = ''product'';
     delete from %1$I.slug_change where kind = ''product''',
    tg_table_schema
  );
  return null;
exception when undefined_table then
  return null;
end
$$;

-- A trigger on a table of somebody else's would write, with the owner's rights, where that one wants.
revoke execute on function vitrine_keep_words(), vitrine_truncate_words() from public;

create trigger vitrine_words_insert after insert on product
  referencing new table as new_rows
  for each statement execute function vitrine_keep_words();

create trigger vitrine_words_delete after delete on product
  referencing old table as old_rows
  for each statement execute function vitrine_keep_words();

create trigger vitrine_words_truncate after truncate on product
  for each statement execute function vitrine_truncate_words();

-- What somebody searches for may be a code: case counts for nothing.
create index product_code_idx on product ((left(vitrine_fold(sku), 200)) collate "C") where sku is not null;
