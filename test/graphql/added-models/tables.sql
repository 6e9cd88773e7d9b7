alter table product add column weight_g int;

create table maker (id int primary key, name text not null);

create table brand_of_shop (
  id int primary key,
  name text not null,
  is_local boolean not null default false,
  maker_id int not null references maker on delete cascade
);

create table "Fair" (id int primary key, name text not null);

create table "_BrandToFair" (
  "A" int references brand_of_shop on delete cascade,
  "B" int references "Fair" on delete cascade,
  primary key ("A", "B")
);

create table seller (id int primary key, name text not null);

alter table product add column seller_id int references seller;

alter table notice add column seller_id int references seller;

create table review (id int primary key, text text not null, product_id int not null references product);

create table award (id int primary key, name text not null, product_id int references product, notice_id int references notice);
