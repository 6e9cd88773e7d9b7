-- By itself, so that nobody waits.
create unique index concurrently product_sku_key on product (sku);
