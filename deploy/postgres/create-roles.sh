#!/usr/bin/env bash
# Run by the image of PostgreSQL when it has made a database: makes the role that owns the tables and the one that serves. Neither is a superuser.
set -euo pipefail

psql --set=ON_ERROR_STOP=1 --set=owner="$OWNER_PASSWORD" --set=gateway="$GATEWAY_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
create role shop_owner login password :'owner';
create role gateway login password :'gateway';
alter database :"DBNAME" owner to shop_owner;
SQL
