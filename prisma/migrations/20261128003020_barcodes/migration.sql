-- What somebody searches for may be a code: case counts for nothing. By itself, so that nobody waits.
create index concurrently product_variant_barcode_idx on product_variant ((left(vitrine_fold(barcode), 200)) collate "C") where barcode is not null;
