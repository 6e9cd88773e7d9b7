-- What a product is found by: its words, in a column that PostgreSQL keeps itself, so that no writer can forget them. src/browse/words.ts says the same
-- of what somebody searches for: change neither without the other.

-- A text without case, accents and differences of width. "C" and "und-x-icu" name how letters are compared, whatever the database's own way is.
create function vitrine_fold(value text) returns text
  language sql immutable strict parallel safe
begin atomic
  select case
    when octet_length(value) = length(value) then lower(value collate "C")
    else normalize(
      replace(replace(replace(replace(
        translate(
          regexp_replace(
            lower(normalize(value, NFKD) collate "und-x-icu") collate "C",
            '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]', '', 'g'),
          'øłđðħıς', 'olddhiσ'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      NFC)
  end;
end;

-- The words of a text with their places. A run of Chinese, Japanese or Korean is its pairs of characters and its last character alone.
create function vitrine_vector(value text, max_characters integer) returns tsvector
  language sql immutable strict parallel safe
begin atomic
  -- Runs stand apart, and an empty token follows the last character of each.
  with spaced as materialized (
    select regexp_replace(
      vitrine_fold(left(value, max_characters)) collate "C",
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e3f\u0e4f\u0e5a\u0e5b\u0f04-\u0f14\u104a-\u104f\u10fb\u1360-\u1368\u17d4-\u17d6\u17d8-\u17db\u2000-\u206f\u20a0-\u20cf\u2100-\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2190-\u2bff\u2e00-\u2e7f\u2ff0-\u3004\u3008-\u3020\u3030\u3036\u3037\u303d-\u303f\u309b\u309c\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff\ue000-\uf8ff\U0001f000-\U0001faff\U000e0000-\U0010ffff]+', ' ', 'g') as text
  ), token as (
    select t.text, t.place, t.text ~ '^[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]' as is_character
    from spaced s, unnest(string_to_array(
      case when octet_length(s.text) = length(s.text) then s.text
      else regexp_replace(
        regexp_replace(s.text, '([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]+)', ' \1 ', 'g'),
        '([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u31ef\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b2ff\U00020000-\U0003ffff])', '\1 ', 'g')
      end, ' ')) with ordinality as t(text, place)
  )
  select coalesce(string_agg(piece || ':' || least(place, 16383), ' '), '')::tsvector
  from (
    select place, case when is_character then text || lead(text, 1, '') over (order by place) else left(text, 64) end as piece
    from token
  ) pieces
  where piece <> '';
end;

-- By weight: A name, B brand and tags, C subtitle, D description without its HTML. Each is cut, because a tsvector has at most 1 MB.
create function vitrine_search(name text, brand text, tags text[], subtitle text, description text) returns tsvector
  language sql immutable parallel safe
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

-- A writer that names neither of the five columns does not compute it again.
alter table product add column search tsvector
  generated always as (vitrine_search(name, brand, tags, subtitle, description)) stored;

create index product_search_idx on product using gin (search) where status = 'ON_SALE';
