-- What a product is found by: an index of its words, which PostgreSQL keeps itself, so that no writer can forget it. It is on an expression and not on a
-- column, so that no row grows and "insert into product select * from …" still works. src/browse/words.ts has the same rules for what somebody
-- searches for: change neither without the other.

-- The words of a text with their places, without case, accents and differences of width. A run of Chinese, Japanese or Korean is its pairs of
-- characters and its last character alone. "C" and "und-x-icu" name how letters are compared, whatever the database's own way is. It calls no function
-- of this schema, so that it works with every search path.
create function vitrine_vector(value text, max_characters integer) returns tsvector
  language plpgsql immutable strict parallel safe cost 500
as $$
declare
  folded text := left(value, max_characters);
begin
  if octet_length(folded) = length(folded) then
    folded := lower(folded collate "C");
  else
    folded := lower(normalize(folded, NFKD) collate "und-x-icu");
    folded := regexp_replace(folded collate "C",
      '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]', '', 'g');
    folded := translate(folded, 'øłđðħıς', 'olddhiσ');
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := normalize(folded, NFC);
  end if;
  -- Of letters and digits of ASCII, PostgreSQL's parser makes the same words, ten times as fast.
  if octet_length(folded) = length(folded) then
    folded := regexp_replace(folded collate "C", '[^a-z0-9]+', ' ', 'g');
    if folded collate "C" !~ '[a-z0-9]{65}' then
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

-- By weight: A name, B brand and tags, C subtitle, D description without its HTML. Each is cut, because a tsvector has at most 1 MB.
create function vitrine_search(name text, brand text, tags text[], subtitle text, description text) returns tsvector
  language sql immutable parallel safe cost 2500
begin atomic
  select setweight(vitrine_vector(name, 2000), 'A')
    || setweight(vitrine_vector(coalesce(brand, ''), 2000), 'B')
    || setweight(vitrine_vector(array_to_string(tags, ' '), 2000), 'B')
    || setweight(vitrine_vector(coalesce(subtitle, ''), 2000), 'C')
    || setweight(vitrine_vector(
      regexp_replace(
        regexp_replace(left(description, 20000) collate "C", '</?[a-zA-Z!][^<>]*>', ' ', 'g'),
        '&#?[a-zA-Z0-9]{1,31};', ' ', 'g'),
      20000), 'D');
end;

create index product_search_idx on product using gin (vitrine_search(name, brand, tags, subtitle, description)) where status = 'ON_SALE';
