-- The space of Ogham stands between words. To a database with a locale of libc, `::tsvector` takes it for a space anyway; to Node and ICU it was a letter.

-- Whoever writes products finishes before: from here on, nobody makes words by the old rules. Products are read meanwhile.
lock table product in share row exclusive mode;

create or replace function vitrine_split(folded text) returns tsvector
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
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02c2-\u02c5\u02d2-\u02df\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e3f\u0e4f\u0e5a\u0e5b\u0f04-\u0f14\u104a-\u104f\u10fb\u1360-\u1368\u1680\u17d4-\u17d6\u17d8-\u17db\u2000-\u206f\u20a0-\u20cf\u2100-\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2190-\u2bff\u2e00-\u2e7f\u2ff0-\u3004\u3008-\u3020\u3030\u3036\u3037\u303d-\u303f\u309b\u309c\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff\ue000-\uf8ff\U0001f000-\U0001faff\U000e0000-\U0010ffff]+', ' ', 'g');
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

-- Products with it, which are few, get their words anew.
do $$
declare
  ids integer[] := (
    select array_agg(p.id)
    from product p, concat_ws(' ', p.name, p.brand, array_to_string(p.tags, ' '), p.subtitle, left(p.description, 20000)) as t(text)
    where octet_length(t.text) > length(t.text) and t.text collate "C" ~ '\u1680'
  );
begin
  if ids is not null then
    perform vitrine_make_words('product', ids);
  end if;
end
$$;
