-- Meanwhile products can be read and written.
alter table product validate constraint product_currency_check;
