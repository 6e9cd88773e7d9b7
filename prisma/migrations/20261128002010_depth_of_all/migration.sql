-- Meanwhile products can be read and written.
alter table product validate constraint product_option_names_check;
alter table product validate constraint product_attributes_check;
alter table product validate constraint product_image_alts_check;
