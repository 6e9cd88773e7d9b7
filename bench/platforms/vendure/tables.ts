/**
 * Writes what Vendure's importer writes for each product, in statements for all of them: the importer takes some 60 statements for a product, an hour for 10,000.
 * `shop` has our products, `id` from 1; `v.id` numbers all variants, `o.id` all options. Channel, tax category and stock location are the ones there are.
 */
export const TABLES: readonly string[] = [
  `create temp table variant as
   select row_number() over (order by s.id, n) as id, s.id as product, s.name, v.value as of from shop s, json_array_elements(s.variants) with ordinality v(value, n)`,
  // A group of its own for each option of a product, with the values that its variants have.
  `create temp table "group" as
   select row_number() over (order by s.id, n) as id, s.id as product, s.slug, o.name, n from shop s, json_array_elements_text(s.option_names) with ordinality o(name, n)`,
  `create temp table option as
   select row_number() over (order by g.id, min(v.id)) as id, g.id as "group", v.of->'values'->>(g.n - 1)::int as name, array_agg(v.id) as variants
   from "group" g join variant v using (product) group by g.id, 3`,
  `create temp table image as
   select row_number() over (order by s.id, n) as id, s.id as product, i.url, n - 1 as position from shop s, json_array_elements_text(s.images) with ordinality i(url, n)`,

  `insert into asset (id, type, "mimeType", width, height, "fileSize", source, preview) select id, 'IMAGE', 'image/jpeg', 800, 800, 100000, url, url from image`,
  `insert into asset_translation ("baseId", "languageCode", name) select id, 'en', url from image`,
  'insert into asset_channels_channel ("assetId", "channelId") select id, 1 from image',
  'insert into product (id, "featuredAssetId") select s.id, i.id from shop s left join image i on i.product = s.id and i.position = 0',
  `insert into product_translation ("baseId", "languageCode", name, slug, description) select id, 'en', name, slug, description from shop`,
  'insert into product_channels_channel ("productId", "channelId") select id, 1 from shop',
  'insert into product_asset ("productId", "assetId", position) select product, id, position from image',
  `insert into product_facet_values_facet_value ("productId", "facetValueId")
   select s.id, v.id from shop s, json_each_text(s.facets) f join facet_translation n on n.name = f.key join facet_value v on v."facetId" = n."baseId"
     join facet_value_translation t on t."baseId" = v.id and t.name = f.value`,

  `insert into product_option_group (id, code) select id, slug || '-' || lower(name) from "group"`,
  `insert into product_option_group_translation ("baseId", "languageCode", name) select id, 'en', name from "group"`,
  'insert into product_option_group_channels_channel ("productOptionGroupId", "channelId") select id, 1 from "group"',
  'insert into product_option_groups_product_option_group ("productId", "productOptionGroupId") select product, id from "group"',
  `insert into product_option (id, "groupId", code) select id, "group", replace(lower(name), ' ', '-') from option`,
  `insert into product_option_translation ("baseId", "languageCode", name) select id, 'en', name from option`,
  'insert into product_option_channels_channel ("productOptionId", "channelId") select id, 1 from option',

  `insert into product_variant (id, "productId", sku, "trackInventory", "taxCategoryId") select id, product, of->>'sku', 'TRUE', 1 from variant`,
  `insert into product_variant_translation ("baseId", "languageCode", name)
   select id, 'en', concat_ws(' ', name, of->'values'->>0, of->'values'->>1) from variant`,
  'insert into product_variant_channels_channel ("productVariantId", "channelId") select id, 1 from variant',
  'insert into product_variant_options_product_option ("productVariantId", "productOptionId") select unnest(variants), id from option',
  `insert into product_variant_price ("variantId", "channelId", "currencyCode", price) select id, 1, 'USD', (of->>'cents')::int from variant`,
  `insert into stock_level ("productVariantId", "stockLocationId", "stockOnHand", "stockAllocated") select id, 1, (of->>'stock')::int, 0 from variant`,
  `insert into collection_product_variants_product_variant ("collectionId", "productVariantId")
   select t."baseId", v.id from collection_translation t join shop s on s.facets->>'Category' = t.name join variant v on v.product = s.id`,
];
