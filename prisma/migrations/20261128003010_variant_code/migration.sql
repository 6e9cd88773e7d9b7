-- What somebody searches for may be a code: case counts for nothing. By itself, so that nobody waits.
create index concurrently product_variant_code_idx on product_variant ((left(vitrine_fold(sku), 200)) collate "C") where sku is not null;
