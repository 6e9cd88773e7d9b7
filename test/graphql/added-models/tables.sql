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
