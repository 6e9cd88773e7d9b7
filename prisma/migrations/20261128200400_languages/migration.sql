-- What the catalogue is called in further languages: the labels of terms, the words that products are found by, and the slugs that lead to a product
-- or category beside its own. The texts are in the columns `translations`. Triggers keep all but the labels.

-- Of tags, option names and values, attribute names and text values.
create table term_translation (
  language text not null,
  term     text not null,
  text     text not null,
  constraint term_translation_pkey primary key (language, term),
  constraint term_translation_language_check check (vitrine_are_translations(jsonb_build_object(language, '{}'::jsonb), '{}', '{}'))
);

-- A product that is written finds the labels of its tags.
create index term_translation_term_idx on term_translation (term);

select vitrine_watch('term_translation');

-- A product in each language that it has a translation in, or a label of a tag: what product_words has of the others. Of a product without a row in
-- pt-BR, that in pt is right for it, and else product_words.
create table translated_words (
  product_id integer not null,
  language   text not null,
  -- As it is shown.
  name       text not null,
  -- As vitrine_search makes them of the texts as they are shown, with the language as a word of its own, `=pt-BR`: so the index finds the words of
  -- one language.
  words      tsvector not null,
  constraint translated_words_pkey primary key (product_id, language)
);

create index translated_words_idx on translated_words using gin (words);

-- A language and its parents, as RFC 4647 looks them up: zh-Hant-TW, zh-Hant, zh.
create function vitrine_fall_backs(language text) returns text[]
  language sql immutable strict parallel safe
  return (
    select array_agg(array_to_string(subtags[:length], '-') order by length desc)
    from string_to_array(language, '-') as subtags, generate_series(1, cardinality(subtags)) as length
    where length(subtags[length]) > 1
  );

-- A text of a row as it is shown: by the first of the languages that has one, or else the column's own.
create function vitrine_shown(own text, field text, translations jsonb, languages text[]) returns text
  language sql immutable parallel safe
  return coalesce((
    select translations -> language ->> field
    from unnest(languages) with ordinality as l(language, place)
    where translations -> language ->> field <> ''
    order by place limit 1
  ), own);

-- Others may have functions in the schema: as in the migrations before, types are exact where the search path names it, and functions that take any
-- type are named with their own.

-- Whether one of these products has translated words, or should have. The search path names the schema of the tables.
create function vitrine_are_translated(ids integer[]) returns boolean
  language plpgsql
as $$
begin
  -- Those who write labels wait until all products that are written without them are committed, and the other way round.
  lock table translated_words in row exclusive mode;
  return exists (
    select from product p where p.id = any (ids) and (p.translations::jsonb <> '{}' or exists (
      select from term_translation t where t.term = any (p.tags::text[])
    ))
  ) or exists (select from translated_words w where w.product_id = any (ids));
end
$$;

-- Makes the translated words of these products by what they show now. The tables are those of the schema of that one.
-- @param changed only what falls back to one of these languages; without, all
create function vitrine_translate_words(products regclass, ids integer[], changed text[] default null) returns void
  language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
begin
  perform pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %I, pg_temp', (
    select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = products
  )), true);
  -- A table that has another name now has no translated words.
  if pg_catalog.to_regclass('product') is distinct from products or not vitrine_are_translated(ids) then
    return;
  end if;
  delete from translated_words w where w.product_id = any (ids) and (changed is null or vitrine_fall_backs(w.language) operator(pg_catalog.&&) changed);
  insert into translated_words (product_id, language, name, words)
  select p.id, l.language, shown.name,
    vitrine_search(shown.name, p.brand, shown.tags, shown.subtitle, shown.description) || pg_catalog.array_to_tsvector(array['=' || l.language])
  from product p
  cross join lateral (
    select language from pg_catalog.jsonb_object_keys(p.translations::jsonb) as language
    union
    select t.language from term_translation t where t.term = any (p.tags::text[]) and t.text <> ''
  ) l
  -- With an offset, what is selected is not put in each place that uses it, and is found once.
  cross join lateral (select vitrine_fall_backs(l.language) as languages offset 0) f
  cross join lateral (
    select
      vitrine_shown(p.name, 'name', p.translations::jsonb, f.languages) as name,
      vitrine_shown(p.subtitle, 'subtitle', p.translations::jsonb, f.languages) as subtitle,
      vitrine_shown(p.description, 'description', p.translations::jsonb, f.languages) as description,
      array(
        select coalesce((
          select t.text from term_translation t
          where t.term = tag and t.language = any (f.languages) and t.text <> ''
          order by pg_catalog.array_position(f.languages, t.language) limit 1
        ), tag)
        from pg_catalog.unnest(p.tags::text[]) with ordinality as own(tag, place) order by place
      ) as tags
    offset 0
  ) shown
  where p.id = any (ids) and (changed is null or f.languages operator(pg_catalog.&&) changed);
end
$$;

-- A label changes the words of the products that have it for a tag. These are notified as changed, because they show it.
create function vitrine_labels_changed() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
  products regclass := pg_catalog.to_regclass(pg_catalog.format('%I.product', tg_table_schema));
  languages text[];
  terms text[];
  ids integer[];
  category_ids integer[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(distinct language), pg_catalog.array_agg(distinct term) into languages, terms from new_rows;
  elsif tg_op = 'UPDATE' then
    select pg_catalog.array_agg(distinct language), pg_catalog.array_agg(distinct term) into languages, terms
    from (select language, term from new_rows union all select language, term from old_rows) changed_row;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(distinct language), pg_catalog.array_agg(distinct term) into languages, terms from old_rows;
  end if;
  if products is null or tg_op <> 'TRUNCATE' and terms is null then
    return null;
  end if;
  perform pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %I, pg_temp', tg_table_schema), true);
  -- `product` is locked before its words, as everywhere.
  lock table product in access share mode;
  lock table translated_words in share row exclusive mode;
  if tg_op = 'TRUNCATE' then
    ids := array(select distinct product_id from translated_words);
  else
    ids := array(
      select distinct p.id
      from pg_catalog.unnest(terms) as term
      cross join lateral (select w.product_id from product_words w where w.tags operator(pg_catalog.@>) vitrine_tag_keys(array[term])) w
      join product p on p.id = w.product_id and term = any (p.tags::text[])
    );
  end if;
  if pg_catalog.cardinality(ids) > 0 then
    perform vitrine_translate_words(products, ids, languages);
    -- As vitrine_notify_products does.
    if pg_catalog.cardinality(ids) > 20000 then
      perform pg_catalog.pg_notify('vitrine', pg_catalog.concat('product oid=', products::oid));
    else
      category_ids := array(select category_id from product where id = any (ids));
      for begins in 1 .. pg_catalog.cardinality(ids) by 200 loop
        perform pg_catalog.pg_notify('vitrine', pg_catalog.concat_ws(
          ' ', 'product', pg_catalog.array_to_string(ids[begins:begins + 199], ','), pg_catalog.array_to_string(category_ids[begins:begins + 199], ','),
          'Infinity', pg_catalog.concat('oid=', products::oid)
        ));
      end loop;
    end if;
  end if;
  return null;
exception when undefined_column or undefined_table or undefined_function then
  -- As vitrine_keep_words says.
  return null;
end
$$;

revoke execute on function vitrine_labels_changed() from public;

create trigger vitrine_labels_insert after insert on term_translation
  referencing new table as new_rows
  for each statement execute function vitrine_labels_changed();

create trigger vitrine_labels_update after update on term_translation
  referencing old table as old_rows new table as new_rows
  for each statement execute function vitrine_labels_changed();

create trigger vitrine_labels_delete after delete on term_translation
  referencing old table as old_rows
  for each statement execute function vitrine_labels_changed();

create trigger vitrine_labels_truncate after truncate on term_translation
  for each statement execute function vitrine_labels_changed();

-- What leads to a product or category beside its own slug: the slugs of its translations, each once in a language; and, without a language, every
-- slug that it had before, until another takes it.
create table slug_alias (
  kind     text not null,
  slug     text not null,
  language text,
  id       integer not null,
  constraint slug_alias_kind_check check (kind in ('product', 'category')),
  constraint slug_alias_kind_slug_language_key unique nulls not distinct (kind, slug, language)
);

create index slug_alias_kind_id_idx on slug_alias (kind, id);

-- The transaction that last gave a row its slug, in a language or (empty) of its own: a slug that one transaction gives and takes away was never
-- seen, and becomes no alias.
create table slug_change (
  kind        text not null,
  id          integer not null,
  language    text not null,
  transaction xid8 not null,
  constraint slug_change_pkey primary key (kind, id, language)
);

-- The slugs of a row by language, its own by the empty one.
create function vitrine_slugs_of(slug text, translations jsonb) returns jsonb
  language sql immutable parallel safe
  return jsonb_build_object('', slug) || coalesce((
    select jsonb_object_agg(language, fields -> 'slug') from jsonb_each(translations) as t(language, fields) where fields ->> 'slug' <> ''
  ), '{}');

-- Makes the aliases of rows by the slugs that they have now, and had before the statement. The tables are those of the schema of that one.
-- @param before of each row `id` and, as vitrine_slugs_of makes them, `slugs`; these are null where no other transaction has seen the row
create function vitrine_change_slugs(changed regclass, before jsonb) returns void
  -- Planned for as many rows as there are.
  language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_custom_plan
as $$
declare
  schema text;
  of_kind text;
  changed_ids integer[];
  ids integer[];
  languages text[];
  slugs text[];
  old_ids integer[];
  old_languages text[];
  old_slugs text[];
begin
  select n.nspname, c.relname into schema, of_kind from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = changed;
  perform pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %I, pg_temp', schema), true);
  select pg_catalog.array_agg((r ->> 'id')::integer) into changed_ids from pg_catalog.jsonb_array_elements(before) as r;
  execute pg_catalog.format('select pg_catalog.array_agg(t.id), pg_catalog.array_agg(s.key), pg_catalog.array_agg(s.value)
    from %s t, pg_catalog.jsonb_each_text(vitrine_slugs_of(t.slug, t.translations::jsonb)) as s where t.id = any ($1)', changed)
    into ids, languages, slugs using changed_ids;
  -- What they had, unless this transaction had given it to them.
  select pg_catalog.array_agg((r ->> 'id')::integer), pg_catalog.array_agg(s.key), pg_catalog.array_agg(s.value) into old_ids, old_languages, old_slugs
  from pg_catalog.jsonb_array_elements(before) as r, pg_catalog.jsonb_each_text(nullif(r -> 'slugs', 'null')) as s
  where not exists (
    select from slug_change c
    where c.kind = of_kind and c.id = (r ->> 'id')::integer and c.language = s.key and c.transaction = pg_catalog.pg_current_xact_id()
  );

  -- All that led to rows that are gone; and the translated slugs that others have no more.
  delete from slug_alias a where a.kind = of_kind and a.id = any (changed_ids) and case
    when a.language is null then a.id <> all (coalesce(ids, '{}'))
    else not exists (select from unnest(ids, languages, slugs) as s(id, language, slug) where (s.id, s.language, s.slug) = (a.id, a.language, a.slug))
  end;
  -- Former slugs that are taken.
  delete from slug_alias a where a.kind = of_kind and a.slug = any (slugs) and a.language is null;
  insert into slug_alias (kind, slug, language, id)
  select of_kind, s.slug, s.language, s.id from unnest(ids, languages, slugs) as s(id, language, slug)
  where s.language <> '' and not exists (
    select from slug_alias a where a.kind = of_kind and a.slug = s.slug and a.language = s.language and a.id = s.id
  )
  order by s.slug, s.language;

  execute pg_catalog.format('select pg_catalog.array_agg(s.id), pg_catalog.array_agg(s.slug) from unnest($1, $2) as s(id, slug)
    where not exists (select from %s t where t.slug = s.slug)', changed)
    into old_ids, old_slugs using old_ids, old_slugs;
  insert into slug_alias (kind, slug, language, id)
  select distinct on (o.slug) of_kind, o.slug, null, o.id from unnest(old_ids, old_slugs) as o(id, slug)
  where o.id = any (ids) and not exists (
    select from slug_alias a where a.kind = of_kind and a.slug = o.slug and a.language is not null
  )
  order by o.slug, o.id
  on conflict (kind, slug, language) do update set id = excluded.id;

  insert into slug_change (kind, id, language, transaction)
  select of_kind, s.id, s.language, pg_catalog.pg_current_xact_id()
  from unnest(ids, languages, slugs) as s(id, language, slug)
  join pg_catalog.jsonb_array_elements(before) as r on (r ->> 'id')::integer = s.id
  where pg_catalog.jsonb_typeof(r -> 'slugs') = 'object' and r -> 'slugs' ->> s.language is distinct from s.slug
  order by s.id, s.language
  on conflict (kind, id, language) do update set transaction = excluded.transaction;
end
$$;

-- Keeps the aliases of categories. Those of products are kept with their words.
create function vitrine_keep_slugs() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
  before jsonb;
begin
  perform pg_catalog.set_config('search_path', pg_catalog.format('pg_catalog, %I, pg_temp', tg_table_schema), true);
  if tg_op = 'INSERT' then
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', n.id)) into before from new_rows n
    where n.translations::jsonb <> '{}' or exists (
      select from slug_alias a where a.kind = tg_table_name and a.slug = n.slug and a.language is null
    );
  elsif tg_op = 'UPDATE' then
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'id', coalesce(o.id, n.id), 'slugs', case when o.created_at <> pg_catalog.now() then vitrine_slugs_of(o.slug, o.translations::jsonb) end
    )) into before
    from old_rows o full join new_rows n on n.id = o.id
    where (n.slug, n.translations::jsonb) is distinct from (o.slug, o.translations::jsonb);
  elsif tg_op = 'DELETE' then
    with changes as (delete from slug_change c using old_rows o where c.kind = tg_table_name and c.id = o.id)
    delete from slug_alias a using old_rows o where a.kind = tg_table_name and a.id = o.id;
  else
    delete from slug_alias where kind = tg_table_name;
    delete from slug_change where kind = tg_table_name;
  end if;
  if before is not null then
    perform vitrine_change_slugs(tg_relid::regclass, before);
  end if;
  return null;
exception when undefined_column or undefined_table or undefined_function then
  -- As vitrine_keep_words says.
  return null;
end
$$;

revoke execute on function vitrine_keep_slugs() from public;

create trigger vitrine_slugs_insert after insert on category
  referencing new table as new_rows
  for each statement execute function vitrine_keep_slugs();

create trigger vitrine_slugs_update after update on category
  referencing old table as old_rows new table as new_rows
  for each statement execute function vitrine_keep_slugs();

create trigger vitrine_slugs_delete after delete on category
  referencing old table as old_rows
  for each statement execute function vitrine_keep_slugs();

create trigger vitrine_slugs_truncate after truncate on category
  for each statement execute function vitrine_keep_slugs();
