-- Nobody asks this index any more (20261127000000_product_words). By itself, so that nobody waits.
drop index concurrently if exists product_search_idx;
